"""What can still be read from a damaged line of a transcript, with every skip counted by kind."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from typing import Any

from prune_mcp.sessions.jsontext import loads

# A crash can leave the start of one line and the whole of the next on one physical line. Top-level objects of
# the hosts begin so; a line with more of these inside than TRIES is not worth the time.
STARTS = (b'{"parentUuid":', b'{"type":', b'{"timestamp":')
TRIES = 50
# What is counted where no object stands, by its type.
KINDS = {type(None): "null", bool: "boolean", int: "number", float: "number", str: "string", list: "list"}
# How the kinds of damage are told, one and several; what a line holds that is no object does not matter.
_NO_OBJECT = ("line that holds no object", "lines that hold no object")
_WORDS = {
    "torn": ("torn line", "torn lines"),
    "nul": ("line with NUL bytes", "lines with NUL bytes"),
    **dict.fromkeys(KINDS.values(), _NO_OBJECT),
    "deep": ("entry nested too deeply", "entries nested too deeply"),
    "message": ("message in no form we know", "messages in no form we know"),
    "unknown": ("record in no form we know", "records in no form we know"),
    "file": ("part in a file that cannot be read", "parts in files that cannot be read"),
    "base": ("beginning in a file that is missing", "beginnings in files that are missing"),
    "surrogate": ("text with characters that are none, mended", "texts with characters that are none, mended"),
}


def objects(
    line: bytes, skipped: Counter[str], stands_alone: Callable[[dict[str, Any]], bool]
) -> Iterator[tuple[int, int, dict[str, Any]]]:
    """The (start, length, object) that a line holds although it is not simply one object.

    `skipped` counts what is none: `torn`, `nul`, `null`, `number`, `string`, `list`, `boolean`. An object after
    a torn start is taken when `stands_alone` says that it is an entry of its own.
    """
    start = len(line) - len(line.lstrip(b"\0 \t\r\xef\xbb\xbf"))
    data = line[start:].rstrip(b"\0 \t\r")
    if b"\0" in line:
        skipped["nul"] += 1
    if not data:
        return
    try:
        value = loads(data)
    except ValueError:
        skipped["torn"] += 1
        yield from _salvaged(start, data, stands_alone)
        return
    if isinstance(value, dict):
        yield start, len(data), value
    else:
        skipped[KINDS[type(value)]] += 1


def _salvaged(
    start: int, data: bytes, stands_alone: Callable[[dict[str, Any]], bool]
) -> Iterator[tuple[int, int, dict[str, Any]]]:
    """A whole object at the start of the data, and one that ends it."""
    first = _first_object(data)
    if first:
        length, value = first
        yield start, length, value
        start, data = start + length, data[length:]
    last = _last_object(data, stands_alone)
    if last:
        at, value = last
        yield start + at, len(data) - at, value


def _first_object(data: bytes) -> tuple[int, dict[str, Any]] | None:
    text = data.decode("utf-8", "surrogateescape")
    try:
        value, end = json.JSONDecoder().raw_decode(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(value, dict):
        return None
    return len(text[:end].encode("utf-8", "surrogateescape")), value


def _last_object(data: bytes, stands_alone: Callable[[dict[str, Any]], bool]) -> tuple[int, dict[str, Any]] | None:
    for mark in STARTS:
        at = -1
        for _ in range(TRIES):
            at = data.find(mark, at + 1)
            if at < 0:
                break
            try:
                value = loads(data[at:])
            except ValueError:
                continue
            if stands_alone(value):
                return at, value
    return None


def told(skipped: Mapping[str, int]) -> str:
    """What a reader counted in `skipped`, in words: "5 torn lines, 1 line with NUL bytes"; "" for nothing."""
    counts: Counter[tuple[str, str]] = Counter()
    for kind, count in skipped.items():
        counts[_WORDS.get(kind, (f"{kind} entry", f"{kind} entries"))] += count
    return ", ".join(f"{count:,} {one if count == 1 else several}" for (one, several), count in counts.items())
