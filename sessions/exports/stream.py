"""The values of a large JSON file, one after the other, as the bytes they are: an export is an array of
conversations and may be larger than memory."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from typing import NamedTuple

# A value larger than this is passed over: no conversation is, and a file of one endless string could be.
LARGEST = 256 << 20
_OPENING = frozenset(b"{[")
# Possessive, so that what does not match fails at once.
_STRING = rb'"[^"\\]*+(?:\\.[^"\\]*+)*+"'
_UP_TO_BRACKET = re.compile(rb'[^"{}\[\]]*+(?:' + _STRING + rb'[^"{}\[\]]*+)*+[{}\[\]]', re.DOTALL)
_WHOLE_STRINGS = re.compile(rb'[^"{}\[\]]*+(?:' + _STRING + rb'[^"{}\[\]]*+)*+', re.DOTALL)
_IN_STRING = re.compile(rb'[^"\\]*+(?:\\.[^"\\]*+)*+', re.DOTALL)
_BETWEEN = b", \t\r\n\xef\xbb\xbf"


class Value(NamedTuple):
    """A value of the file: its number from 1 on, and its bytes. `damage` says why there are none, or not all."""

    number: int
    data: bytes
    damage: str = ""


class Values:
    """Splits a stream into the elements of its array, or takes its single object as the one value.

    Nothing is parsed: whatever is wrong inside a value, its neighbours are found all the same. No more is held
    than one value and one chunk. `listed`: the values are elements of an array.
    """

    def __init__(self, largest: int = LARGEST) -> None:
        self.number = 0
        self.listed = False
        self._largest = largest
        self._buffer = bytearray()
        self._at = 0
        self._start = 0
        self._depth = 0
        self._floor = 0
        self._inside = False
        self._too_large = False

    @property
    def ended(self) -> bool:
        """Whether everything that was opened is closed."""
        return not self._depth and not self._inside

    def split(self, chunks: Iterable[bytes]) -> Iterator[Value]:
        """The values of a stream; one that the stream's end cuts off comes with its damage."""
        for chunk in chunks:
            self._buffer += chunk
            yield from self._found()
            self._trim()
        yield from self._scalars(len(self._buffer) if self._depth <= self._floor else self._start)
        if self._depth > self._floor:
            yield self._value(bytes(self._buffer[self._start :]), "is cut off by the end of the file")

    def _found(self) -> Iterator[Value]:
        while (end := self._next_bracket()) >= 0:
            if self._buffer[end - 1] in _OPENING:
                yield from self._open(end)
            elif self._depth:
                yield from self._close(end)

    def _open(self, end: int) -> Iterator[Value]:
        if self._depth == 0 and self._buffer[end - 1] == ord("["):
            self._floor = 1
            self._start = end
            self.listed = True
        elif self._depth == self._floor:
            yield from self._scalars(end - 1)
            self._start = end - 1
        self._depth += 1

    def _close(self, end: int) -> Iterator[Value]:
        self._depth -= 1
        if self._depth < self._floor:
            yield from self._scalars(end - 1)
            self._floor = self._depth
        elif self._depth == self._floor:
            yield self._value(bytes(self._buffer[self._start : end]))
        else:
            return
        self._start = end

    def _value(self, data: bytes, damage: str = "") -> Value:
        self.number += 1
        if self._too_large:
            self._too_large = False
            return Value(self.number, b"", f"is larger than {self._largest >> 20} MB")
        return Value(self.number, data, damage)

    def _scalars(self, end: int) -> Iterator[Value]:
        """What stands between objects: `null` and the like."""
        between = bytes(self._buffer[self._start : end]).strip(_BETWEEN)
        for scalar in between.split(b",") if between else ():
            # A bracket that closes nothing is damage of the value before it.
            if scalar := scalar.strip(_BETWEEN + b"]}"):
                yield self._value(scalar)

    def _next_bracket(self) -> int:
        """The position behind the next bracket outside of strings, -1 where more must be read first."""
        if self._inside and not self._leave_string():
            return -1
        if found := _UP_TO_BRACKET.match(self._buffer, self._at):
            self._at = found.end()
            return self._at
        if rest := _WHOLE_STRINGS.match(self._buffer, self._at):
            self._at = rest.end()
        if self._at < len(self._buffer):
            self._at += 1
            self._inside = True
            self._leave_string()
        return -1

    def _leave_string(self) -> bool:
        """Go on inside a string to its end; False where that is still to come."""
        if found := _IN_STRING.match(self._buffer, self._at):
            self._at = found.end()
        if self._buffer[self._at : self._at + 1] != b'"':
            return False
        self._at += 1
        self._inside = False
        return True

    def _trim(self) -> None:
        """Let go of what was handed out, and of a value that is too large."""
        if self._at - self._start > self._largest:
            self._too_large = self._depth > self._floor
            self._start = self._at
        del self._buffer[: self._start]
        self._at -= self._start
        self._start = 0
