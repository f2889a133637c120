"""A leaf of a segment's dictionary, as it is read: some neighbouring terms, and where each of them stands."""

from __future__ import annotations

import struct
from bisect import bisect_left
from collections.abc import Iterator
from functools import cached_property
from typing import NamedTuple

from prune_mcp.search.dictionary import LEAF, LEAF_COUNT, LEAF_PLACE, LONG_LIST
from prune_mcp.search.posting_list import Block, PostingList, long_list, read_list, short_list
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
    """`names`: its terms in order. `docs`: in how many documents each of them stands.

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
        self._sizes = data[LEAF.size : lists]
        self.names = data[names:].decode().split("\n")
        at = [n for n, size in enumerate(self._sizes) if not size]
        self._longs = dict(zip(at, LONG_LIST.iter_unpack(data[lists:names]), strict=True))
        if len(self.names) != terms:
            raise ValueError(f"{len(self.names)} terms instead of {terms}")
        self.docs = [*self._sizes]
        for n, (docs, _, _) in self._longs.items():
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
        if n in self._longs:
            return long_list(self._file, *self._longs[n])
        ids, often = self._short
        start = sum(self._sizes[:n])
        end = start + self._sizes[n]
        return short_list(ids[start:end], often[start:end])

    def lists(self) -> Iterator[Block]:
        """The documents of each of its terms, and how often they hold it.

        Raises:
            SegmentDamaged: the postings cannot be read.
        """
        ids, often = self._short
        end = 0
        for n, size in enumerate(self._sizes):
            start, end = end, end + size
            yield (ids[start:end], often[start:end]) if size else self.postings(n).all()

    @cached_property
    def _short(self) -> tuple[list[int], Frequencies]:
        """All postings of the leaf's short lists, one list after the other."""
        place = self._place
        data = self._file.block(place.start + place.names, place.postings)
        return read_list(self._file, data, sum(self._sizes))
