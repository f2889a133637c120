"""Rollouts of Codex as it was up to mid-2025, in TypeScript: one JSON object that is rewritten as it grows."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, Self

from prune_mcp.sessions.codex.lines import Line, is_line, moment
from prune_mcp.sessions.codex.session import Codex
from prune_mcp.sessions.reader import CACHE_BYTES
from prune_mcp.sessions.tail import CHUNK, Tail

HEADER, ITEMS = "session", "items"
# Where an item may begin behind damage; beginnings that lead nowhere cost a search each.
BEGINS = re.compile(r'\{\s*"(?:id|type|role|call_id)"\s*:')
TRIES = 50
_BETWEEN = re.compile(r"[\s,\0\xef\xbb\xbf]*")
_COLON = re.compile(r"\s*:\s*")
_DECODER = json.JSONDecoder()


class CodexDocument(Codex):
    """A rollout as one object: `session` is its header, `items` are what later rollouts have line by line."""

    resumable = False
    live = True

    def __init__(self, path: Path, *, cache: int = CACHE_BYTES) -> None:
        super().__init__(path, cache=cache)
        self._tail = ItemsTail(path)

    def peek(self, lines: Iterable[bytes]) -> Self:
        """See `Transcript.peek`."""
        return super().peek([part for _, part in parts_of(b"\n".join(lines))])

    def _take(self, offset: int, line: bytes, raw: dict[str, Any]) -> None:
        if self._header is None and "type" not in raw and "role" not in raw:
            # The header of a session without instructions has nothing else to be known by.
            self._open(offset, Line("session_meta", raw, moment(raw.get("timestamp")), bare=True))
        else:
            super()._take(offset, line, raw)


class ItemsTail(Tail):
    """The header and the items as if each were a line. A file that changed is another one."""

    def continues(self, file: BinaryIO) -> bool:
        """See `Tail.continues`."""
        return not self.position or _stamp(file) == self._stamp

    def lines(self, file: BinaryIO, chunk_size: int = CHUNK) -> Iterator[tuple[int, bytes]]:
        """See `Tail.lines`."""
        if self.position:
            return
        file.seek(0)
        data = b"".join(iter(lambda: file.read(chunk_size), b""))
        self._advance(data)
        yield from parts_of(data)
        self._stamp = _stamp(file)


def parts_of(data: bytes) -> Iterator[tuple[int, bytes]]:
    """(offset, bytes) of the header and each item of a rollout; what is damaged between items is given as well."""
    # In this encoding characters are bytes, and what tells JSON's values apart is the same.
    text = data.decode("latin-1")
    at = _after(text, 0) + 1
    while text.startswith('"', at := _after(text, at)):
        name, at = _string(text, at)
        colon = _COLON.match(text, at)
        if not colon:
            break
        at = colon.end()
        if name == ITEMS and text.startswith("[", at):
            at += 1
            break
        if (end := _end(text, at)) < 0:
            break
        if name == HEADER:
            yield at, data[at:end]
        at = end
    for start, end in _elements(text, at):
        yield start, data[start:end]


def _elements(text: str, at: int) -> Iterator[tuple[int, int]]:
    """Where the elements of a list start and end, from one on; what is damaged up to an item that stands whole
    counts as one."""
    while (at := _after(text, at)) < len(text) and text[at] not in "]}":
        end = _end(text, at)
        if end < 0:
            end = _next(text, at + 1)
        yield at, end
        at = end


def _next(text: str, at: int) -> int:
    """Where the next item begins that stands whole; the end of the text where none does."""
    failed = 0
    while failed < TRIES and (found := BEGINS.search(text, at)):
        end = _end(text, found.start())
        if end >= 0 and is_line(json.loads(text[found.start() : end])):
            return found.start()
        failed += end < 0
        at = found.end()
    return len(text)


def _end(text: str, at: int) -> int:
    """Where the value at a position ends, -1 where it is none."""
    try:
        return _DECODER.raw_decode(text, at)[1]
    except (ValueError, RecursionError):
        return -1


def _string(text: str, at: int) -> tuple[str, int]:
    try:
        value, end = _DECODER.raw_decode(text, at)
    except ValueError:
        return "", len(text)
    return str(value), end


def _after(text: str, at: int) -> int:
    found = _BETWEEN.match(text, at)
    return found.end() if found else at


def _stamp(file: BinaryIO) -> tuple[int, ...]:
    status = os.fstat(file.fileno())
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns, status.st_ctime_ns
