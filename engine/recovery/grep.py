"""Lines that match a pattern, with bounded work: no pattern, however written, can hang the server.

A pattern whose worst case is small is tried here. Any other runs in a Python process of its own, which is this
very file, and is ended after `SECONDS` of one question. In a line longer than `WINDOW` characters, overlapping
windows are searched: a match of more than `OVERLAP` characters may be missed there.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import threading
import time
import warnings
from typing import Any, NamedTuple

# Characters.
LONG = 2_000
BESIDE = 150
SHOWN = 400
WINDOW = 10_000
OVERLAP = 2_000
MARGIN = 200
PATTERN = 2_000
# Steps of the worst case that are tried in this process: under a second.
QUICK = 100_000_000
SECONDS = 5.0

TOO_SLOW = (
    f"The pattern took longer than {SECONDS:.0f} seconds and was stopped. Write it with fewer repeats, none "
    "inside another, or search for a plain word of it."
)
NO_PROCESS = (
    "The pattern may take very long, so it needs a process of its own, and that failed ({}). Write it with at "
    "most one repeat, or search for a plain word of it."
)

_TOKENS = re.compile(
    r"\\[1-9]|\\.|\[\^?\]?(?:\\.|[^\]\\])*\]|\(\?[^:imsxau)-]|\)[*+?{]|\{\d\d?\}|[*+?|({]", re.DOTALL
)
_LEADING = re.compile(r"\^?\.\*(?![?*+{])")


class Excerpt(NamedTuple):
    """A piece of a long line around matches: where the first begins, and the piece (characters of the line)."""

    match: int
    start: int
    end: int


class Hit(NamedTuple):
    """A matching line: its index, and what to show of it where it is longer than `LONG` characters."""

    line: int
    excerpts: list[Excerpt]


class PatternTooSlow(Exception):
    """The pattern took longer than `SECONDS`, or its process could not run; the message says what to do."""


class Grep:
    """One pattern, tried on many texts. `note` says so when it is taken as plain text. Close it after use."""

    def __init__(self, pattern: str) -> None:
        self.note = ""
        self._pattern = _LEADING.sub("", pattern, count=1) if _LEADING.match(pattern) else pattern
        try:
            self._expression = _compiled(self._pattern)
        except (re.error, OverflowError, RecursionError) as error:
            self.note = f"the pattern is no regular expression ({error}), so it was taken as plain text"
            self._pattern = re.escape(pattern)
            self._expression = re.compile(self._pattern)
        self._process: subprocess.Popen[bytes] | None = None
        self._left = SECONDS

    def hits(self, lines: list[str]) -> list[Hit]:
        """The lines in which the pattern is found.

        Raises:
            PatternTooSlow: it took too long.
        """
        longest = min(max(map(len, lines), default=0), WINDOW)
        if effort(self._pattern, longest) * sum(map(len, lines)) <= QUICK:
            return scan(self._expression, lines)
        return self._ask(lines)

    def close(self) -> None:
        """End the process, if there is one."""
        if self._process is not None:
            self._process.kill()
            self._process.communicate()
            self._process = None

    def _ask(self, lines: list[str]) -> list[Hit]:
        process = self._process = self._process or _start(self._pattern)
        ended = threading.Event()
        timer = threading.Timer(self._left, _end, (process, ended))
        began = time.monotonic()
        timer.start()
        try:
            answer = _exchange(process, lines)
        finally:
            timer.cancel()
            self._left = max(self._left - (time.monotonic() - began), 0.01)
        if not answer:
            raise PatternTooSlow(TOO_SLOW if ended.is_set() else NO_PROCESS.format("it ended early"))
        return [Hit(line, [Excerpt(*each) for each in excerpts]) for line, excerpts in json.loads(answer)]


def _compiled(pattern: str) -> re.Pattern[str]:
    """The expression; what Python would warn of is the pattern's own affair."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return re.compile(pattern)


def effort(pattern: str, longest: int) -> int:
    """About how many steps the pattern may take for each character of lines of at most `longest` characters.

    An estimate from above, by its repeats and alternatives; what cannot be told counts as endless.
    """
    endless = 1 << 62
    steps = 1
    tokens = _TOKENS.findall(pattern)
    groups = tokens.count("(")
    for token in tokens:
        if (
            token[0] == ")"
            or (token[0] == "(" and len(token) > 1)
            or (token[0] == "\\" and token[1] in "123456789")
        ):
            return endless
        if token in ("*", "+", "{"):
            steps *= max(longest, 1)
        elif token == "?":
            steps *= 2
        elif token == "|":
            steps *= 2 if groups else 1
        steps = min(steps, endless)
    return steps


def scan(expression: re.Pattern[str], lines: list[str]) -> list[Hit]:
    """The lines in which `expression` is found; of long ones, what stands around each match."""
    found = []
    for index, line in enumerate(lines):
        if len(line) <= LONG:
            if expression.search(line):
                found.append(Hit(index, []))
        elif excerpts := _excerpts(expression, line):
            found.append(Hit(index, excerpts))
    return found


def _excerpts(expression: re.Pattern[str], line: str) -> list[Excerpt]:
    """The pieces of a long line around its matches; pieces that touch are one."""
    found: list[Excerpt] = []
    position = 0
    while (match := _next(expression, line, position)) is not None:
        first, stop = match
        stop = min(stop, first + SHOWN)
        start, end = max(first - BESIDE, 0), min(stop + BESIDE, len(line))
        if found and start <= found[-1].end:
            found[-1] = found[-1]._replace(end=max(end, found[-1].end))
        else:
            found.append(Excerpt(first, start, end))
        # What begins well inside the piece is shown anyway; what a long match goes over is looked at again.
        position = max(stop, first + 1, found[-1].end - BESIDE)
    return found


def _next(expression: re.Pattern[str], line: str, position: int) -> tuple[int, int] | None:
    """Where the next match of a long line begins and ends, looked for window by window."""
    while position <= len(line):
        stop = min(position + WINDOW, len(line))
        match = expression.search(line, position, stop)
        found = match
        if match is not None and stop < len(line) and match.end() > stop - MARGIN:
            # The window's end may have made or cut this match: look at it again with more behind it.
            found = expression.match(line, match.start(), min(match.start() + WINDOW, len(line)))
        if found is not None:
            return found.span()
        if match is None and stop == len(line):
            return None
        following = stop - OVERLAP if match is None else min(match.start() + 1, stop - OVERLAP)
        position = max(position + 1, following)
    return None


def _start(pattern: str) -> subprocess.Popen[bytes]:
    command = [sys.executable, "-I", "-S", __file__]
    flags = getattr(subprocess, "CREATE_NO_WINDOW", 0)
    pipe = subprocess.PIPE
    try:
        process = subprocess.Popen(
            command, stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL, creationflags=flags
        )
    except OSError as error:
        raise PatternTooSlow(NO_PROCESS.format(error)) from error
    _send(process, pattern)
    return process


def _end(process: subprocess.Popen[bytes], ended: threading.Event) -> None:
    ended.set()
    process.kill()


def _exchange(process: subprocess.Popen[bytes], lines: list[str]) -> bytes:
    """The answer of the process; empty when it was ended."""
    assert process.stdout is not None, "the process was started with pipes"
    try:
        _send(process, lines)
    except OSError:
        return b""
    return process.stdout.readline()


def _send(process: subprocess.Popen[bytes], value: Any) -> None:
    assert process.stdin is not None, "the process was started with pipes"
    process.stdin.write(json.dumps(value).encode() + b"\n")
    process.stdin.flush()


def serve() -> None:
    """In the process: read the pattern, then texts, and answer each with its hits, one JSON value a line."""
    expression = _compiled(json.loads(sys.stdin.buffer.readline()))
    for request in sys.stdin.buffer:
        sys.stdout.buffer.write(json.dumps(scan(expression, json.loads(request))).encode() + b"\n")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    serve()
