"""A leaf of a segment's dictionary, as it is read: some neighbouring terms, and where each of them stands."""

from __future__ import annotations

from array import array
from functools import cached_property
from itertools import accumulate
from typing import NamedTuple

from prune_mcp.search.segments.dictionary import LEAF, LEAF_COUNT, LEAF_PLACE, LONG_LIST
from prune_mcp.search.segments.posting_list import LongList, PackedList, PostingList, short_list
from prune_mcp.search.segments.segment_file import SegmentFile, damaged, unseal


class LeafPlace(NamedTuple):
    """Where a leaf stands: its first byte in the segment's blocks, and the bytes of its two blocks."""

    start: int
    names: int
    postings: int


class LeafPlaces:
    """Where the leaves of a segment stand. `firsts`: the first term of each.

    Raises:
        SegmentDamaged: the segment tells of no leaves.
    """

    def __init__(self, file: SegmentFile) -> None:
        data = unseal(file.section("leaves"), file.path)
        count = LEAF_COUNT.unpack_from(data)[0] if len(data) >= LEAF_COUNT.size else 0
        end = LEAF_COUNT.size + count * LEAF_PLACE.size
        self._places = data[LEAF_COUNT.size : end]
        self.firsts = data[end:].decode("utf-8", "replace").split("\n") if count else []
        if len(self.firsts) != count or len(self._places) != count * LEAF_PLACE.size:
            raise damaged(file.path, f"its dictionary has {count} leaves and {len(self.firsts)} first terms")

    def __len__(self) -> int:
        return len(self.firsts)

    def __getitem__(self, n: int) -> LeafPlace:
        return LeafPlace(*LEAF_PLACE.unpack_from(self._places, n * LEAF_PLACE.size))


class Leaf:
    """Some neighbouring terms, numbered from 0 in their order.

    Raises:
        SegmentDamaged: its bytes are no leaf.
    """

    def __init__(self, file: SegmentFile, place: LeafPlace) -> None:
        self._file = file
        self._place = place
        data = file.block(place.start, place.names)
        if len(data) < LEAF.size:
            raise damaged(file.path, "a leaf of its dictionary is cut")
        terms, longs = LEAF.unpack_from(data)
        lists = LEAF.size + terms
        names = lists + longs * LONG_LIST.size
        self._sizes = data[LEAF.size : lists]
        self._lists = data[lists:names]
        self._lines = b"\n%b\n" % data[names:]
        if self._lines.count(b"\n") != terms + 1 or self._sizes.count(0) != longs:
            raise damaged(file.path, "a leaf of its dictionary does not hold its terms")

    @cached_property
    def names(self) -> list[str]:
        """The terms."""
        return self._lines[1:-1].decode("utf-8", "replace").split("\n")

    @cached_property
    def docs(self) -> list[int]:
        """In how many documents each term stands."""
        docs = [*self._sizes]
        for n in self.long:
            docs[n] = self._long(n)[0]
        return docs

    @cached_property
    def long(self) -> list[int]:
        """Which of the terms have a list in blocks of its own."""
        return [n for n, size in enumerate(self._sizes) if not size]

    def find(self, term: str) -> int:
        """The term's number, -1 for none."""
        at = self._lines.find(b"\n%b\n" % term.encode("utf-8", "surrogatepass"))
        return self._lines.count(b"\n", 0, at) if at >= 0 and "\n" not in term else -1

    def frequency(self, n: int) -> int:
        """In how many documents term `n` stands."""
        return self._sizes[n] or self._long(n)[0]

    def postings(self, n: int) -> PostingList:
        """Where the leaf's term `n` stands.

        Raises:
            SegmentDamaged: its postings cannot be read.
        """
        if not self._sizes[n]:
            return LongList(self._file, *self._long(n)).postings()
        return short_list(*self._short.read(*self.starts[n : n + 2]))

    def keys(self, first: int) -> tuple[array[int], array[int]]:
        """The keys of all but `long` terms, one list after the other: those of `n` at `starts[n : n + 2]`.

        Document 0 is numbered `first`. The other numbers are the exact ones of `MANY`, in order.

        Raises:
            SegmentDamaged: the postings cannot be read.
        """
        return self._short.keys(first)

    def long_keys(self, n: int, first: int) -> tuple[array[int], array[int]]:
        """As `keys`, of the `long` term `n`."""
        return LongList(self._file, *self._long(n)).keys(first)

    @cached_property
    def starts(self) -> list[int]:
        """Where each term's postings begin among those of all but `long` terms, and where the last end."""
        return [*accumulate(self._sizes, initial=0)]

    def _long(self, n: int) -> tuple[int, int, int]:
        """The documents of a `long` term, and where its table is: its first byte and its bytes."""
        docs, start, size = LONG_LIST.unpack_from(self._lists, self._sizes.count(0, 0, n) * LONG_LIST.size)
        return docs, start, size

    @cached_property
    def _short(self) -> PackedList:
        place = self._place
        data = self._file.block(place.start + place.names, place.postings)
        return PackedList(self._file, data, self.starts[-1])
