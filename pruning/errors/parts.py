"""Error parts: the lines around an error line that belong to it, found by where they stand.

Below it what was expected and what came instead, or the message that a colon announces; above it the heading of
the failed test; at the end of a traceback the exception.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Sequence

from prune_mcp.pruning.errors.signs import headings_in, is_detail, says_strongly

LONGEST, SHORT = 320, 160
# So many lines below an error line may still belong to it; of pytest's lines in a row so many are told; so far
# below its heading a test's failure may begin, in characters.
DETAILS, ROW, REACH = 5, 4, 1500
TRACEBACK, TRACEBACK_HIT = "Traceback (most recent", len("Traceback (m")
GO_TEST = "_test.go:"

is_go_test = re.compile(r"\s+\w+_test\.go:\d+: +\S").match
_SPOKEN = re.compile(r"\s*[^<].*(?:[^\W\d_]{2}|[!=]=+ )").match
_WORD = re.compile(r"\w").search
_STATUS = re.compile(r"[<\s]*HTTP/\d").match


class Row:
    """Lines of pytest's explanation of one failure, of which the first ones tell enough."""

    def __init__(self) -> None:
        self._end = -2
        self._lines = 0

    def takes(self, line: str, start: int, end: int) -> bool:
        """Whether the error line from `start` to `end` is told."""
        if not line.startswith("E  "):
            return True
        self._lines = self._lines + 1 if start == self._end + 1 else 1
        self._end = end
        return self._lines <= ROW


def lines_below(text: str, end: int, line: str) -> Iterator[tuple[int, str]]:
    """The lines that explain an error line which ends at `end`, each with where it starts."""
    below = _below(text, end)
    if line.rstrip().endswith(":") and says_strongly(line):
        yield from _first(below)
    elif _STATUS(line):
        yield from _first(below)
        body = text.find("\n\n", end, end + REACH)
        yield from _first(_below(text, body + 1)) if body >= 0 else ()
    for start, told in below:
        if not is_detail(told):
            break
        yield start, _cut(told, SHORT)


def headings(text: str, errors: Sequence[int]) -> Iterator[tuple[int, str]]:
    """The numbered headings that an error line follows before the next heading; `errors` is where these start."""
    numbered = [(hit.start(), hit.end(), hit[0]) for hit in headings_in(text)]
    for number, (start, end, line) in enumerate(numbered):
        following = numbered[number + 1][0] if number + 1 < len(numbered) else len(text)
        at = bisect_right(errors, start)
        if at < len(errors) and errors[at] < min(following, end + REACH):
            yield start, _cut(line)


def traceback_end(text: str, start: int, at: int, end: int) -> dict[int, tuple[str, bool]]:
    """The exception below a traceback's first line, which starts at `start` and says so at `at`."""
    front = text[start:at]
    while 0 <= end < len(text):
        start = end + 1
        end = text.find("\n", start)
        line = text[start : end if end >= 0 else len(text)]
        if line.strip() and not line.startswith(front + " "):
            return {start: (_cut(line), False)} if line.startswith(front) else {}
    return {}


def _below(text: str, end: int) -> Iterator[tuple[int, str]]:
    """The next few lines with words, each with where it starts, not past two without."""
    left = DETAILS * 2
    blank = False
    while left and 0 <= end < len(text):
        start = end + 1
        end = text.find("\n", start)
        line = text[start : end if end >= 0 else len(text)]
        if _WORD(line):
            yield start, line
        elif blank:
            return
        blank = not _WORD(line)
        left -= 1


def _first(lines: Iterator[tuple[int, str]]) -> Iterator[tuple[int, str]]:
    for start, line in lines:
        if _SPOKEN(line):
            yield start, _cut(line)
        return


def _cut(line: str, room: int = LONGEST) -> str:
    line = line.strip()
    return line if len(line) <= room else line[: room - 3] + "..."
