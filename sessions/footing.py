"""Where the reading of a growing session is taken up again, and what from before still matters there."""

from __future__ import annotations

import sys
from array import array
from base64 import b64decode, b64encode
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import NamedTuple
from zlib import crc32


class Rewound(Exception):
    """What was read changes something from before the place where reading was taken up again: read it all."""


class Stance(NamedTuple):
    """How an entry stands on what came before it: its index, that of the entry it comes after (-1: none), how many
    ids were known before it, the response that was open, and the ids it hangs on."""

    entry: int
    above: int
    known: int
    group: str
    ties: list[str]


@dataclass(frozen=True, slots=True)
class Footing:
    """What stands before an entry that reading begins at.

    `entries`: how many. `last`: the id of the one it comes after, which stands for all of them ("": none). `side`:
    the entry is a subagent's. `ties`: other ids that mean the same place. `group`: the response that was open.
    `known`: a mark of each id from before, and of each that an entry from before waits for.
    """

    entries: int = 0
    last: str = ""
    side: bool = False
    group: str = ""
    ties: list[str] = field(default_factory=list)
    known: frozenset[int] = frozenset()


def mark_of(id: str) -> int:
    """32 bits that tell an id from others, the same in every process. Two ids that share them cost a reading of
    the whole file, nothing else."""
    return crc32(id.encode("utf-8", "surrogatepass"))


def packed(marks: Iterable[int]) -> str:
    """Marks as text."""
    return b64encode(_little(array("I", marks)).tobytes()).decode()


def unpacked(text: str) -> frozenset[int]:
    """The marks in a text.

    Raises:
        ValueError: it holds none.
    """
    marks = array("I")
    marks.frombytes(b64decode(text))
    return frozenset(_little(marks))


def _little(marks: array[int]) -> array[int]:
    if sys.byteorder == "big":
        marks.byteswap()
    return marks
