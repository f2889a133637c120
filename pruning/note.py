"""Lines that stand in a stub or block beside what it says: the caller's note, and what a ref is good for."""

from __future__ import annotations

from prune_mcp.pruning.plain import plain, unmarked

NOTE = "note: "
LEGEND = "(context_tree_query brings back any [pruned tN] or block bN)"


def with_note(text: str, note: str) -> str:
    """A stub or block text with the caller's note, on one line, after its first."""
    return _with_line(text, f"{NOTE}{unmarked(plain(' '.join(note.split())))}")


def with_legend(text: str) -> str:
    """A stub or block text that says how refs are used."""
    return _with_line(text, LEGEND)


def bare(text: str) -> str:
    """A stub or block text without such lines: what decisions weigh must not change with them."""
    head, *rest = text.split("\n")
    while rest and (rest[0] == LEGEND or rest[0].startswith(NOTE)):
        del rest[0]
    return "\n".join([head, *rest])


def _with_line(text: str, line: str) -> str:
    head, _, rest = text.partition("\n")
    return "\n".join(part for part in (head, line, rest) if part)
