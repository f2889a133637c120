"""Excerpts: what a model is shown of a text too long to be shown whole, and how room is shared out among texts."""

from __future__ import annotations

from collections.abc import Sequence

from prune_mcp.pruning.errors.lines import error_lines

# Of a cut text's room so much goes to its error lines, and of the rest so much to its head.
ERRORS_SHARE = 4
HEAD_SHARE = 2
# A head ends, and a tail begins, at a line's end if one stands within this share of it.
SLACK = 4
MARKER = 60


def shares(sizes: Sequence[int], room: int) -> list[int]:
    """How much of `room` each text of these sizes gets: small ones all they need, the others alike."""
    given = [0] * len(sizes)
    left = room
    by_size = sorted(range(len(sizes)), key=lambda at: sizes[at])
    for rank, at in enumerate(by_size):
        given[at] = min(sizes[at], left // (len(by_size) - rank))
        left -= given[at]
    return given


def excerpt(text: str, room: int, *, strict: bool = False) -> str:
    """The text in about `room` characters: whole where it fits, else its head, its error lines and its tail, with
    what is left out counted in between.

    `strict`: the text is code or prose, in which the name of an error is none.
    """
    if len(text) <= room:
        return text
    errors = _errors(text, room // ERRORS_SHARE, strict)
    rest = max(room - sum(len(line) + 1 for line in errors) - MARKER, 0)
    head = _head(text, rest // HEAD_SHARE)
    tail = _tail(text[len(head) :], rest - len(head))
    missing = len(text) - len(head) - len(tail)
    ends = f"{head}\n{tail}"
    told = [line for line in errors if line not in ends]
    among = "; error lines among them:" if told else ""
    marker = f"[... {missing:,} characters left out here{among} ...]"
    return "\n".join(part for part in (head.rstrip("\n"), marker, *told, tail.lstrip("\n")) if part)


def _errors(text: str, room: int, strict: bool) -> list[str]:
    """The first error lines, as many as fit."""
    kept: list[str] = []
    for line in error_lines(text, strict=strict):
        room -= len(line) + 1
        if room < 0:
            break
        kept.append(line)
    return kept


def _head(text: str, room: int) -> str:
    head = text[:room]
    end = head.rfind("\n") + 1
    return head[:end] if end > room - room // SLACK else head


def _tail(text: str, room: int) -> str:
    tail = text[len(text) - room :] if room > 0 else ""
    start = tail.find("\n") + 1
    return tail[start:] if 0 < start < room // SLACK else tail
