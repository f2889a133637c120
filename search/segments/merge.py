"""Several segments made into one by joining their postings; no text is read."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate, compress, islice, pairwise
from pathlib import Path

from prune_mcp.search.segments.columns import ColumnsWriter
from prune_mcp.search.segments.dictionary import LEAF_TERMS
from prune_mcp.search.segments.leaf import Leaf
from prune_mcp.search.segments.postings import MANY, MOST_DOCS
from prune_mcp.search.segments.segment import Segment
from prune_mcp.search.segments.segment_writer import LeafLists, write_segment


def merge(
    segments: Sequence[Segment], path: Path, keep: Callable[[int], bool], starts: Mapping[int, int] | None = None
) -> None:
    """Write one segment of the documents of several, in their order, without those of sources `keep` says no to.

    `starts`: where frames begin now, by where they began, when their pack was written anew. Memory is that of a
    leaf of each segment, of the longest list of postings, and of the columns.

    Raises:
        SegmentDamaged: one of the segments cannot be read.
        OSError: the new one cannot be written.
        OverflowError: there are more documents than a segment holds.
    """
    columns = ColumnsWriter()
    exact: defaultdict[str, list[int]] = defaultdict(list)
    joined = []
    for segment in segments:
        sources = {source: keep(source) for source in set(segment.sources)}
        kept = [sources[source] for source in segment.sources]
        joined.append(_Joined(segment, kept, len(columns), exact))
        columns.extend(segment.columns if starts is None else _moved(segment, starts), kept)
    if len(columns) > MOST_DOCS:
        raise OverflowError(f"A segment holds at most {MOST_DOCS} documents.")
    write_segment(path, _leaves(joined), exact, columns)


def _moved(segment: Segment, starts: Mapping[int, int]) -> dict[str, Iterable[int]]:
    """A segment's columns with the frames where they are now."""
    return {**segment.columns, "frames": [starts.get(start, 0) for start in segment.frames]}


def _leaves(joined: Sequence[_Joined]) -> Iterator[LeafLists]:
    """The terms of all segments in order, with their keys in the new segment."""
    terms: list[str] = []
    keys: list[array[int]] = []
    for found in _rounds(joined):
        for term in sorted(found):
            terms.append(term)
            keys.append(found[term])
        while len(terms) >= LEAF_TERMS:
            yield terms[:LEAF_TERMS], keys[:LEAF_TERMS]
            del terms[:LEAF_TERMS], keys[:LEAF_TERMS]
    if terms:
        yield terms, keys


def _rounds(joined: Sequence[_Joined]) -> Iterator[dict[str, array[int]]]:
    """Some terms that come next, with all keys: up to the last one for which every segment's leaf is read."""
    while left := [segment for segment in joined if segment.terms]:
        last = min(segment.terms[-1] for segment in left)
        found: dict[str, array[int]] = {}
        for segment in left:
            segment.take(last, found)
        yield found


class _Joined:
    """A segment that is being joined: its leaves one by one, keys as they are in the new segment.

    `terms`: those of the leaf that is read, without the ones already taken; none at the end.
    """

    def __init__(self, segment: Segment, kept: Sequence[bool], first: int, exact: dict[str, list[int]]) -> None:
        self._leaves = segment.leaves()
        self._kept = kept
        self._whole = all(kept)
        self._first = first if self._whole else 0
        self._numbers = () if self._whole else [number << 8 for number in accumulate(kept, initial=first)]
        self._exact = exact
        self._many: dict[str, list[int]] = {}
        self._advance()

    def take(self, last: str, found: dict[str, array[int]]) -> None:
        """Add the keys of the terms up to `last` to what was found of them in earlier segments."""
        end = bisect_right(self.terms, last)
        for term, keys in zip(self.terms[:end], self._keys, strict=False):
            if term in found:
                found[term] += keys
            elif keys:
                found[term] = keys
            if term in self._many:
                self._exact[term] += self._many.pop(term)
        if end == len(self.terms):
            self._advance()
        else:
            del self.terms[:end], self._keys[:end]

    def _advance(self) -> None:
        leaf = next(self._leaves, None)
        self.terms: list[str] = leaf.names if leaf else []
        self._keys = self._read(leaf) if leaf else []

    def _read(self, leaf: Leaf) -> list[array[int]]:
        """The keys of each of a leaf's terms in the new segment."""
        lists = self._lists(leaf.names, leaf.starts, *leaf.keys(self._first))
        for n in leaf.long:
            keys, exact = leaf.long_keys(n, self._first)
            (lists[n],) = self._lists([leaf.names[n]], [0, len(keys)], keys, exact)
        return lists

    def _lists(
        self, terms: Sequence[str], starts: Sequence[int], keys: array[int], exact: Sequence[int]
    ) -> list[array[int]]:
        if not self._whole:
            starts, keys, exact = self._without_dropped(starts, keys, exact)
        lists = [keys[start:end] for start, end in pairwise(starts)]
        if exact:
            rest = iter(exact)
            for term, each in zip(terms, lists, strict=True):
                if many := sum(key & MANY == MANY for key in each):
                    self._many[term] = [*islice(rest, many)]
        return lists

    def _without_dropped(
        self, starts: Sequence[int], keys: array[int], exact: Sequence[int]
    ) -> tuple[list[int], array[int], list[int]]:
        """As lists of keys in the old segment are in the new one."""
        kept, numbers = self._kept, self._numbers
        stays = [kept[key >> 8] for key in keys]
        many = [stay for key, stay in zip(keys, stays, strict=True) if key & MANY == MANY]
        before = [*accumulate(stays, initial=0)]
        moved = array("I", [numbers[key >> 8] | key & MANY for key in compress(keys, stays)])
        return [before[start] for start in starts], moved, [*compress(exact, many)]
