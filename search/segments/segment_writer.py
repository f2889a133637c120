"""Writes a segment: takes passages' rows with how often each term stands in them, and writes them out at once."""

from __future__ import annotations

from array import array
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path

from prune_mcp.search.rows import Row
from prune_mcp.search.segments.columns import ColumnsWriter
from prune_mcp.search.segments.dictionary import LEAF_TERMS, DictionaryWriter
from prune_mcp.search.segments.postings import MANY, MOST_DOCS
from prune_mcp.search.segments.segment_file import SegmentFileWriter, Totals

Exact = Mapping[str, Sequence[int]]
LeafLists = tuple[Sequence[str], Sequence["array[int]"]]


class SegmentWriter:
    """Holds what is to become one segment. `postings`: how many it holds."""

    def __init__(self) -> None:
        self.postings = 0
        self._columns = ColumnsWriter()
        self._keys: defaultdict[str, array[int]] = defaultdict(partial(array, "I"))
        self._exact: defaultdict[str, list[int]] = defaultdict(list)

    def __len__(self) -> int:
        return len(self._columns)

    def add(self, row: Row, counts: Mapping[str, int]) -> None:
        """Take the next document.

        Raises:
            OverflowError: the segment holds as many documents as it can.
        """
        doc = len(self._columns)
        if doc >= MOST_DOCS:
            raise OverflowError(f"A segment holds at most {MOST_DOCS} documents.")
        size = sum(counts.values())
        if max(counts.values(), default=0) >= MANY:
            for term, times in counts.items():
                if times >= MANY:
                    self._exact[term].append(times)
            counts = {term: min(times, MANY) for term, times in counts.items()}
        key, keys = doc << 8, self._keys
        for term, times in counts.items():
            keys[term].append(key + times)
        self._columns.add(row, size)
        self.postings += len(counts)

    def write(self, path: Path) -> None:
        """Write the segment's file, whole or not at all.

        Raises:
            OSError: it cannot be written.
        """
        terms = sorted(self._keys)
        leaves = (terms[start : start + LEAF_TERMS] for start in range(0, len(terms), LEAF_TERMS))
        lists = ((leaf, [*map(self._keys.__getitem__, leaf)]) for leaf in leaves)
        write_segment(path, lists, self._exact, self._columns)


def write_segment(path: Path, leaves: Iterable[LeafLists], exact: Exact, columns: ColumnsWriter) -> None:
    """Write a segment's file, whole or not at all, of its leaves in order and its columns.

    `exact` is asked for a leaf's terms when the leaf was taken.

    Raises:
        OSError: it cannot be written.
    """
    with SegmentFileWriter(path) as file:
        dictionary = DictionaryWriter(file.append)
        for terms, keys in leaves:
            dictionary.leaf(terms, keys, exact)
        totals = Totals(len(columns), dictionary.terms, dictionary.postings, columns.length)
        file.finish(totals, {"leaves": dictionary.finish(), **columns.sections()})
