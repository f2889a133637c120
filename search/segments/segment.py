"""A segment of the index, opened for reading: passages by number, the terms they hold, and columns of numbers."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from functools import cached_property
from heapq import nlargest
from itertools import chain, starmap
from operator import itemgetter
from pathlib import Path

from prune_mcp.search.segments.columns import column_view
from prune_mcp.search.segments.leaf import Leaf, LeafPlaces
from prune_mcp.search.segments.posting_list import NOWHERE, Block, PostingList
from prune_mcp.search.segments.segment_file import COLUMNS, SegmentDamaged, SegmentFile

__all__ = ["Segment", "SegmentDamaged"]

_LEAVES_KEPT = 64
# Comes after every character that a term holds.
_LAST = "\U0010ffff"


class Segment:
    """One segment's file, mapped into memory; nothing in it ever changes.

    `docs`: how many documents, numbered from 0. `terms`, `posting_count`: how many. `total_length`: the sum of the
    documents' lengths in terms. Whatever reads from the file raises SegmentDamaged where it does not hold what was
    written.

    Raises:
        SegmentDamaged: the file is missing, cut, of another version, or its header impossible.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._file = SegmentFile(path)
        self.docs, self.terms, self.posting_count, self.total_length = self._file.totals
        self._leaves: dict[int, Leaf] = {}

    def frequency(self, term: str) -> int:
        """In how many documents a term stands."""
        leaf, n = self._find(term)
        return leaf.frequency(n) if leaf else 0

    def postings(self, term: str) -> Block:
        """The documents that hold a term, ascending, and how often each does."""
        return self.posting_list(term).all()

    def posting_list(self, term: str) -> PostingList:
        """The documents that hold a term, to be read block by block."""
        leaf, n = self._find(term)
        return leaf.postings(n) if leaf else NOWHERE

    def expand(self, prefix: str, most: int) -> dict[str, int]:
        """The `most` frequent terms that begin with `prefix`, and in how many documents each stands."""
        found = chain.from_iterable(starmap(zip, self.beginning(prefix)))
        return dict(nlargest(most, found, key=itemgetter(1)))

    def beginning(self, prefix: str) -> Iterator[tuple[Sequence[str], Sequence[int]]]:
        """The terms that begin with `prefix`, some at a time, in order, and in how many documents each stands."""
        for leaf, first in self._leaves_from(prefix):
            end = bisect_left(leaf.names, prefix + _LAST, first)
            yield leaf.names[first:end], leaf.docs[first:end]
            if end < len(leaf.names):
                break

    def term_frequencies(self, start: str = "") -> Iterator[tuple[str, int]]:
        """Every term from `start` on, in order, and in how many documents it stands."""
        for leaf, first in self._leaves_from(start):
            yield from zip(leaf.names[first:], leaf.docs[first:], strict=True)

    def leaves(self) -> Iterator[Leaf]:
        """Every leaf of the dictionary, in order; none is kept."""
        return (Leaf(self._file, self._places[n]) for n in range(len(self._places)))

    @cached_property
    def sources(self) -> memoryview[int]:
        """The number of each document's source."""
        return self._column("sources")

    @cached_property
    def roles(self) -> bytes:
        """Who speaks, as a place in `SPEAKERS`."""
        return bytes(self._column("roles"))

    @cached_property
    def tools(self) -> memoryview[int]:
        """The number of each document's tool, 0 for none."""
        return self._column("tools")

    @cached_property
    def flags(self) -> bytes:
        """ABANDONED | SIDE | ECHO | ERROR."""
        return bytes(self._column("flags"))

    @cached_property
    def times(self) -> memoryview[int]:
        """Seconds since the epoch, 0 unknown."""
        return self._column("times")

    @cached_property
    def copies(self) -> memoryview[int]:
        """The 64 bits that copies share."""
        return self._column("copies")

    @cached_property
    def frames(self) -> memoryview[int]:
        """Where each document's frame begins in its pack, in bytes."""
        return self._column("frames")

    @cached_property
    def slots(self) -> memoryview[int]:
        """Which of its frame's passages each document is."""
        return self._column("slots")

    @cached_property
    def sizes(self) -> memoryview[int]:
        """Each document's length in terms."""
        return self._column("sizes")

    @cached_property
    def lengths(self) -> bytes:
        """Each document's length in a byte, to be looked up in `LENGTHS`."""
        return bytes(self._column("lengths"))

    @cached_property
    def shortest(self) -> int:
        """The lowest of `lengths`."""
        return min(self.lengths, default=0)

    @cached_property
    def longest(self) -> int:
        """The highest of `lengths`."""
        return max(self.lengths, default=0)

    @property
    def columns(self) -> dict[str, memoryview[int]]:
        """Every column by its name."""
        return {name: self._column(name) for name in COLUMNS}

    def check(self) -> None:
        """Verify every byte of the file.

        Raises:
            SegmentDamaged: something differs from what was written.
        """
        self._file.check()

    def _column(self, name: str) -> memoryview[int]:
        return column_view(self._file.section(name), self.docs, self.path)

    def _find(self, term: str) -> tuple[Leaf | None, int]:
        """The leaf that holds a term, None for no leaf, and the term's place in it."""
        at = bisect_right(self._places.firsts, term) - 1
        if at < 0:
            return None, -1
        leaf = self._leaf(at)
        n = leaf.find(term)
        return (leaf, n) if n >= 0 else (None, -1)

    def _leaves_from(self, start: str) -> Iterator[tuple[Leaf, int]]:
        """Each leaf that may hold terms from `start` on, and where in it they begin."""
        for n in range(max(bisect_right(self._places.firsts, start) - 1, 0), len(self._places)):
            leaf = self._leaf(n)
            yield leaf, bisect_left(leaf.names, start)

    def _leaf(self, at: int) -> Leaf:
        leaf = self._leaves.get(at)
        if leaf is None:
            if len(self._leaves) >= _LEAVES_KEPT:
                self._leaves.clear()
            leaf = self._leaves[at] = Leaf(self._file, self._places[at])
        return leaf

    @cached_property
    def _places(self) -> LeafPlaces:
        return LeafPlaces(self._file)
