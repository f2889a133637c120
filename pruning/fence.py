"""Fences: verbatim text inside ours, between boundaries that it cannot contain."""

from __future__ import annotations

from hashlib import sha256

LENGTH = 8


def fence(text: str) -> str:
    """A boundary derived from `text` that does not occur in it: `LENGTH` hexadecimal digits of its hash."""
    mark = sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:LENGTH]
    while mark in text:
        mark = sha256(f"{mark} {len(text)}".encode()).hexdigest()[:LENGTH]
    return mark


def protected_output(tool: str, ref: int, text: str) -> str:
    """A protected output moved out of a compressed span, verbatim."""
    mark = fence(text)
    opening = f'<protected-output tool="{attribute(tool)}" ref="t{ref}" fence="{mark}">'
    return f"{opening}\n{text}\n</protected-output {mark}>"


def attribute(value: str) -> str:
    """`value` fit to stand between double quotes in one of our tags."""
    return "".join(c for c in value if c.isprintable() and c not in '"<>')
