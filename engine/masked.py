"""What is told of a session where others read it too, in lists, trees and figures: without secrets."""

from __future__ import annotations


def masked(text: str) -> str:
    """A title, a label or a note of a session with each secret in it masked, as in the history."""
    if not text:
        return text
    # The rules take a while to load, which callers without a text need not wait for.
    from prune_mcp.search.secrets.masking import mask

    return mask(text)
