"""The caller's note: kept with a prune, and shown once in its view."""

from __future__ import annotations

from prune_mcp.pruning.plain import plain, unmarked


def with_note(text: str, note: str) -> str:
    """A stub or block text with the note on lines of its own after its first line."""
    head, _, rest = text.partition("\n")
    said = f"note: {unmarked(plain(note.strip()))}"
    return "\n".join(part for part in (head, said, rest) if part)
