"""Postings: which documents hold a term and how often, as keys while an index is written, and as packed lists.

A key is one number: the document's number times 256, plus how often the term stands in it; `MANY` says "that often
or more", and the exact number is kept beside. A packed list is the steps between documents as four planes of bytes
(all lowest bytes, then all second ones, ...), then a byte of how often for each, then four bytes for each `MANY`.
"""

from __future__ import annotations

import sys
from array import array
from collections.abc import Iterable, Sequence
from operator import sub
from typing import Literal

MANY = 255
MOST_DOCS = 1 << 23

# Where a key's byte of how often stands in it, and those of the document's number from the lowest up.
_OFTEN, *_NUMBER = range(4) if sys.byteorder == "little" else range(3, -1, -1)

Ids = Sequence[int]
Frequencies = Sequence[int]


def split(keys: bytes) -> tuple[array[int], bytes]:
    """The documents' numbers and the bytes of how often, of keys one after the other."""
    numbers = bytearray(len(keys))
    for plane, byte in zip((_OFTEN, *_NUMBER[:-1]), _NUMBER, strict=True):
        numbers[plane::4] = keys[byte::4]
    return _whole_numbers("I", numbers), keys[_OFTEN::4]


def join(docs: bytes, often: bytes) -> array[int]:
    """The keys of documents, four bytes each, with the bytes of how often: what `split` takes apart."""
    keys = bytearray(len(docs))
    keys[_OFTEN::4] = often
    for plane, byte in zip((_OFTEN, *_NUMBER[:-1]), _NUMBER, strict=True):
        keys[byte::4] = docs[plane::4]
    return _whole_numbers("I", keys)


def pack(docs: array[int], often: bytes, exact: Iterable[int]) -> bytes:
    """A list of postings in bytes. The documents may begin anew anywhere, as where lists follow each other."""
    steps = array("i", docs[:1])
    steps.extend(map(sub, docs[1:], docs))
    raw = steps.tobytes()
    return b"".join((*(raw[plane::4] for plane in range(4)), often, array("I", exact).tobytes()))


def unpack(data: bytes, count: int) -> tuple[array[int], bytes, array[int]]:
    """The steps, the bytes of how often and the exact numbers of `MANY`, of a packed list of `count` postings.

    Raises:
        ValueError: the bytes are none of that many.
    """
    often = data[4 * count : 5 * count]
    exact = _whole_numbers("I", data[5 * count :])
    if len(often) != count or len(exact) != often.count(MANY):
        raise ValueError(f"{len(data)} bytes hold no {count} postings")
    raw = bytearray(4 * count)
    for plane in range(4):
        raw[plane::4] = data[plane * count : (plane + 1) * count]
    return _whole_numbers("i", raw), often, exact


def _whole_numbers(code: Literal["i", "I"], data: bytes | bytearray) -> array[int]:
    numbers = array(code)
    numbers.frombytes(data)
    return numbers
