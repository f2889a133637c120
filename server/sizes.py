"""Sizes and ages as people read them."""

from __future__ import annotations


def size(count: int) -> str:
    """So many bytes, in the unit that leaves few digits."""
    if count < 1000:
        return f"{count} B"
    if count < 999_500:
        return f"{count / 1e3:.0f} kB"
    return f"{count / 1e6:.1f} MB" if count < 999_950_000 else f"{count / 1e9:,.2f} GB"


def age(seconds: float) -> str:
    """So long ago, in minutes, hours or days."""
    minutes = max(0, int(seconds // 60))
    if minutes < 60:
        return f"{minutes} min"
    return f"{minutes // 60} h" if minutes < 48 * 60 else f"{minutes // (24 * 60):,} d"
