"""A leaf of a segment's dictionary, as it is read: some neighbouring terms, and where each of them stands."""

from __future__ import annotations

import struct
from array import array
from bisect import bisect_left
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

from prune_mcp.search.dictionary import LEAF, LEAF_COUNT, LEAF_PLACE, LONG_LIST
from prune_mcp.search.posting_list import PackedList, PostingList, long_list, read_keys, read_list, short_list
from prune_mcp.search.postings import Frequencies
from prune_mcp.search.segment_file import SegmentFile, damaged, unseal


class LeafPlace(NamedTuple):
    """Where a leaf stands: its first byte in the segment's blocks, and the bytes of its two blocks."""

    start: int
    names: int
    postings: int


def leaf_places(file: SegmentFile) -> tuple[list[str], list[LeafPlace]]:
    """The first term of each leaf, and where the leaves stand.

    Raises:
        SegmentDamaged: the segment tells of no leaves.
    """
    data = unseal(file.section("leaves"), file.path)
    try:
        (count,) = LEAF_COUNT.unpack_from(data)
        names = LEAF_COUNT.size + count * LEAF_PLACE.size
        places = [LeafPlace(*place) for place in LEAF_PLACE.iter_unpack(data[LEAF_COUNT.size : names])]
        firsts = data[names:].decode().split("\n") if count else []
    except (struct.error, ValueError) as error:
        raise damaged(file.path, f"its dictionary has no leaves ({error})") from error
    if len(firsts) != count or len(places) != count:
        raise damaged(file.path, f"its dictionary has {len(places)} leaves and {len(firsts)} first terms")
    return firsts, places


class Leaf:
    """`names`: its terms in order. `docs`: in how many documents each stands. `long`: the places of those in many.

    Raises:
        SegmentDamaged: its bytes are no leaf.
    """

    def __init__(self, file: SegmentFile, place: LeafPlace) -> None:
        self._file = file
        self._place = place
        try:
            self._read(file.block(place.start, place.names))
        except (struct.error, ValueError) as error:
            raise damaged(file.path, f"a leaf of its dictionary is none ({error})") from error

    def _read(self, data: bytes) -> None:
        terms, longs = LEAF.unpack_from(data)
        lists = LEAF.size + terms
        names = lists + longs * LONG_LIST.size
        sizes = data[LEAF.size : lists]
        self.names = data[names:].decode().split("\n")
        self.starts = [*accumulate(sizes, initial=0)]
        at = [n for n, size in enumerate(sizes) if not size]
        self.long = dict(zip(at, LONG_LIST.iter_unpack(data[lists:names]), strict=True))
        if len(self.names) != terms:
            raise ValueError(f"{len(self.names)} terms instead of {terms}")
        self.docs = [*sizes]
        for n, (docs, _, _) in self.long.items():
            self.docs[n] = docs

    def find(self, term: str) -> int:
        """The term's place in the leaf, -1 for none."""
        n = bisect_left(self.names, term)
        return n if n < len(self.names) and self.names[n] == term else -1

    def postings(self, n: int) -> PostingList:
        """Where the leaf's term `n` stands.

        Raises:
            SegmentDamaged: its postings cannot be read.
        """
        if n in self.long:
            return long_list(PackedList(self._file, *self.long[n]), self.docs[n])
        ids, often = self._short
        start, end = self.starts[n : n + 2]
        return short_list(ids[start:end], often[start:end])

    def keys(self, first: int) -> tuple[array[int], array[int]]:
        """The keys of all terms but the `long` ones, one list after the other: term `n` has `starts[n : n + 2]`.

        Document 0 is numbered `first`. The other numbers are the exact ones of `MANY`, in order.

        Raises:
            SegmentDamaged: the postings cannot be read.
        """
        return read_keys(self._file, self._packed(), self.starts[-1], first)

    def long_keys(self, n: int, first: int) -> tuple[array[int], array[int]]:
        """As `keys`, of the `long` term `n`."""
        return PackedList(self._file, *self.long[n]).keys(first)

    @cached_property
    def _short(self) -> tuple[list[int], Frequencies]:
        return read_list(self._file, self._packed(), self.starts[-1])

    def _packed(self) -> bytes:
        place = self._place
        return self._file.block(place.start + place.names, place.postings)
