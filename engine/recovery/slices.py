"""Parts of one text: a page by characters, a range of lines, or the lines that match a pattern."""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import accumulate

from prune_mcp.engine.answers import RequestWrong
from prune_mcp.engine.recovery.grep import LONG, Grep, Hit

_LINES = re.compile(
    r"\s*(-?\d{1,9})?\s*(:|\.\.)\s*(-?\d{1,9})?\s*|\s*(-?\d{1,9})\s*|\s*(\d{1,9})\s*-\s*(\d{1,9})\s*"
)
HEAD = 200


@dataclass(frozen=True, slots=True)
class LineRange:
    """Lines `first` to `last`, both included, counted from 1, or from the end where negative; None: open."""

    first: int | None
    last: int | None

    def within(self, count: int) -> tuple[int, int]:
        """The range as indexes into `count` lines: the first, and the one after the last."""
        first = 0 if self.first is None else _index(self.first, count)
        last = count - 1 if self.last is None else _index(self.last, count)
        start = min(max(first, 0), count)
        return start, max(start, min(last + 1, count))


@dataclass(frozen=True, slots=True)
class Selection:
    """What was asked of one text.

    `start`: where `text` begins in the whole, in characters; None where it is no contiguous part. `rows`: where
    each matching line begins in `text` (patterns only). `lines`: how many lines the whole has.
    """

    text: str
    start: int | None
    lines: int
    rows: list[int] = field(default_factory=list)
    note: str = ""


def parse_lines(spec: str) -> LineRange:
    """A range of lines as written: `A:B`, `:10`, `-20:`, `7`, also `A-B` and `A..B`.

    Raises:
        RequestWrong: it is none of these.
    """
    found = _LINES.fullmatch(spec)
    if found is None:
        raise RequestWrong(
            f"lines={spec[:60]!r} is no range of lines. Write A:B, counted from 1 and both included: 120:150, "
            ":40 for the head, -20: for the tail, 7 for one line."
        )
    first, colon, last, one, low, high = found.groups()
    if colon is None:
        first, last = (one, one) if one else (low, high)
    span = LineRange(int(first) if first else None, int(last) if last else None)
    if span.first is None or span.last is None or (span.first < 0) != (span.last < 0) or span.first <= span.last:
        return span
    return LineRange(span.last, span.first)


def page(whole: str, offset: int, limit: int | None) -> Selection:
    """`limit` characters of the whole from `offset` on; all the rest without a limit."""
    note = ""
    if offset and offset >= len(whole):
        note = f"offset {offset} is past the end: it has {len(whole)} characters"
    start = min(offset, len(whole))
    end = len(whole) if limit is None else start + limit
    return Selection(whole[start:end], start, count_lines(whole), note=note)


def pick_lines(whole: str, span: LineRange) -> Selection:
    """A range of lines, without the line end of the last."""
    lines = split_lines(whole)
    first, stop = span.within(len(lines))
    start = sum(map(len, lines[:first])) + first
    text = "\n".join(lines[first:stop])
    note = "" if text or stop > first else f"it has {len(lines)} lines, none of them in this range"
    return Selection(text, min(start, len(whole)), len(lines), note=note)


def pick_matches(whole: str, grep: Grep, context: int, span: LineRange | None) -> Selection:
    """The matching lines with `context` lines around each, numbered as `grep -n` does it.

    A row is `NUMBER:LINE` for a match and `NUMBER-LINE` for its context; `--` stands where lines are left out
    between. Of a line longer than 2,000 characters a match shows its neighbourhood instead, as
    `NUMBER@MATCH[START:END]:TEXT` with character offsets in the whole.

    Raises:
        PatternTooSlow: the pattern took too long.
    """
    lines = split_lines(whole)
    first, stop = span.within(len(lines)) if span else (0, len(lines))
    hits = {first + hit.line: hit for hit in grep.hits([line.removesuffix("\r") for line in lines[first:stop]])}
    starts = list(accumulate((len(line) + 1 for line in lines), initial=0))
    rows: list[str] = []
    places: list[int] = []
    size = previous = 0
    for index in _shown(hits, context, len(lines)):
        if context and rows and index > previous + 1:
            rows.append("--")
            size += len("--") + 1
        if index in hits:
            places.append(size)
        rows.append("\n".join(_rows(lines[index], index, starts[index], hits.get(index))))
        size += len(rows[-1]) + 1
        previous = index
    return Selection("\n".join(rows), None, len(lines), places, grep.note)


def describe(selection: Selection, whole: str, start: int, end: int) -> str:
    """Which lines the characters `start` to `end` of a selection are, of how many."""
    if selection.start is None:
        first, stop = bisect_left(selection.rows, start), bisect_left(selection.rows, end)
        return f"{stop - first}-of-{len(selection.rows)}-matching/{selection.lines}"
    if start == end:
        return f"0/{selection.lines}"
    first = whole.count("\n", 0, selection.start + start) + 1
    last = first + whole.count("\n", selection.start + start, selection.start + end - 1)
    return f"{first}-{last}/{selection.lines}"


def split_lines(text: str) -> list[str]:
    """The lines of a text, parted by `\\n` alone; a line end at the very end opens no further line."""
    lines = text.split("\n")
    if not lines[-1]:
        lines.pop()
    return lines


def count_lines(text: str) -> int:
    """How many lines a text has."""
    return text.count("\n") + (not text.endswith("\n")) if text else 0


def _index(number: int, count: int) -> int:
    return count + number if number < 0 else number - 1


def _shown(hits: dict[int, Hit], context: int, count: int) -> Iterator[int]:
    """The indexes of the matching lines and those around them, each once, ascending."""
    following = 0
    for index in hits:
        yield from range(max(index - context, following), min(index + context + 1, count))
        following = min(index + context + 1, count)


def _rows(line: str, index: int, start: int, hit: Hit | None) -> list[str]:
    """What is shown of one line: all of it, or of a long one the neighbourhood of each match."""
    number = index + 1
    if hit is None and len(line) > LONG:
        rest = f"... {len(line) - HEAD} more characters from offset {start + HEAD} on"
        return [f"{number}-{line[:HEAD]}", f"{number}-{rest}"]
    if hit is None or not hit.excerpts:
        return [f"{number}{'-' if hit is None else ':'}{line}"]
    return [
        f"{number}@{start + each.match}[{start + each.start}:{start + each.end}]:{line[each.start : each.end]}"
        for each in hit.excerpts
    ]
