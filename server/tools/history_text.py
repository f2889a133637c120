"""Hits and entries of past sessions in words, for a model and for a terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

from prune_mcp.sessions.times import EARLIEST, LATEST

if TYPE_CHECKING:
    from prune_mcp.engine.past import Found, Hit

TITLE_CHARS = 48
NONE, NO_MORE = "Nothing was found.", "There are no more hits."
# What matches stands between these; where a text has them itself they are shown as the single ones.
MARKS, OTHERS = "\u00ab\u00bb", "\u2039\u203a"
UNMARKED = str.maketrans(MARKS, OTHERS)


def hits_text(found: Found) -> str:
    """The whole answer: its hits, two lines each, then the notes and the cursor."""
    lines = [line for number, hit in enumerate(found.hits, found.first) for line in hit_lines(number, hit)]
    if not found.hits:
        lines.append(NONE if found.first == 1 else NO_MORE)
    lines += found.notes
    if found.cursor:
        lines.append(f"More: cursor={found.cursor}")
    return "\n".join(lines)


def hit_lines(number: int, hit: Hit, marked: Callable[[str], str] | None = None) -> list[str]:
    """One hit: what it is and where it stands, then its snippet with what matched as `marked` writes it, else
    between guillemets."""
    who = f"{hit.role} {hit.tool}".strip()
    when = local_time(hit.time)
    flags = f" [{', '.join(hit.flags)}]" if hit.flags else ""
    head = " · ".join(
        filter(None, (f"{number}. {hit.ref} {who}{flags}", when, hit.agent, hit.project, _title(hit)))
    )
    lines = [head, f"   {marked_snippet(hit, marked or guillemets)}"]
    if hit.copy_count:
        named = ", ".join(copy.ref for copy in hit.copies)
        more = hit.copy_count - len(hit.copies)
        lines.append(f"   also in {named}" + (f" and {more} more" if more > 0 else ""))
    return lines


def marked_snippet(hit: Hit, marked: Callable[[str], str]) -> str:
    """The snippet with each match as `marked` writes it, and nothing else that looks like a mark."""
    snippet = hit.snippet.translate(UNMARKED)
    parts: list[str] = []
    last = 0
    for start, end in hit.marks:
        parts += snippet[last:start], marked(snippet[start:end])
        last = end
    return "".join([*parts, snippet[last:]])


def guillemets(text: str) -> str:
    """A match between guillemets, which seldom mean anything else in a session."""
    return f"{MARKS[0]}{text}{MARKS[1]}"


def hit_json(hit: Hit) -> dict[str, Any]:
    """A hit as programs take it. `marks`: where in the snippet the matches stand, as pairs of start and end, in
    characters (code points)."""
    return {
        "session": hit.session,
        "entry": hit.entry,
        "ref": hit.ref,
        "agent": hit.agent,
        "project": hit.cwd or hit.project,
        "title": hit.title,
        "time": utc(hit.time),
        "role": hit.role,
        "tool": hit.tool,
        "snippet": hit.snippet,
        "marks": [list(mark) for mark in hit.marks],
        "copies": [{"session": copy.session, "ref": copy.ref} for copy in hit.copies],
        "copy_count": hit.copy_count,
        "flags": list(hit.flags),
    }


def found_json(found: Found, more: Iterable[str] = ()) -> dict[str, Any]:
    """The answer as programs take it."""
    return {
        "hits": [hit_json(hit) for hit in found.hits],
        "cursor": found.cursor,
        "notes": [*more, *found.notes],
        "total": found.total,
        "first": found.first,
        "covered": found.covered,
        "pending": found.pending,
    }


def utc(time: float) -> str:
    """A time as ISO 8601 in UTC to the second, "" where it is unknown."""
    moment = _moment(time)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ") if moment else ""


def local_time(time: float) -> str:
    """A time to the minute, as the clock here shows it, "" where it is unknown."""
    moment = _moment(time)
    return moment.astimezone().strftime("%Y-%m-%d %H:%M") if moment else ""


def _moment(time: float) -> datetime | None:
    # Files can have times that no date can tell.
    return datetime.fromtimestamp(time, UTC) if time and EARLIEST <= time <= LATEST else None


def _title(hit: Hit) -> str:
    title = hit.title
    return f'"{title if len(title) <= TITLE_CHARS else title[: TITLE_CHARS - 1] + "…"}"' if title else ""
