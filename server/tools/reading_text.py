"""Entries of past sessions in words: what each is, then its text between two fence lines."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from prune_mcp.server.tools.history_text import local_time, utc

if TYPE_CHECKING:
    from prune_mcp.engine.past import EntryText, Reading


def reading_text(reading: Reading) -> str:
    """The whole reading: the session's line, its entries in order, then notes and how to go on."""
    from prune_mcp.engine.recovery.fence import inline, quoted

    session = " · ".join(
        filter(None, (f"session {reading.session}", reading.agent, reading.cwd or reading.project))
    )
    parts = [f"{session} {quoted(reading.title)}".strip()]
    parts += [entry_text(entry) for entry in reading.entries]
    ends = [f"note: {inline(note, 2000)}" for note in reading.notes]
    ends += [_more(entry) for entry in reading.entries if entry.end < entry.total]
    return "\n\n".join([*parts, "\n".join(ends)] if ends else parts)


def entry_text(entry: EntryText) -> str:
    """One entry: a header, then the page of its text."""
    from prune_mcp.engine.recovery.fence import boundary, visible

    text = visible(entry.text)
    fence = boundary(text)
    return "\n".join((header(entry), fence, text, fence))


def header(entry: EntryText) -> str:
    """The one line that says what an entry is; offsets and sizes in characters of the whole."""
    blocks = dict.fromkeys(f"{block.role} {block.tool}".strip() for block in entry.blocks)
    flags = f" [{', '.join(entry.flags)}]" if entry.flags else ""
    when = local_time(entry.time)
    who = f"{', '.join(blocks)}{flags}"
    span = f"chars={entry.start}-{entry.end}/{entry.total}"
    return " · ".join(filter(None, (f"{entry.ref} {who}", when, span)))


def reading_json(reading: Reading) -> dict[str, Any]:
    """The reading as programs take it."""
    told = asdict(reading)
    for entry, shown in zip(reading.entries, told["entries"], strict=True):
        shown["time"] = utc(entry.time)
    return told


def _more(entry: EntryText) -> str:
    return f"more of {entry.ref}: offset={entry.end}"
