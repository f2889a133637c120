"""Several segments made into one by joining their postings; no text is read."""

from __future__ import annotations

from array import array
from bisect import bisect_right
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import accumulate
from operator import or_
from pathlib import Path

from prune_mcp.search.columns import ColumnsWriter
from prune_mcp.search.dictionary import LEAF_TERMS
from prune_mcp.search.posting_list import Block
from prune_mcp.search.postings import MANY, MOST_DOCS
from prune_mcp.search.segment import Segment
from prune_mcp.search.segment_writer import LeafLists, write_segment

_DROPPED = -1


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
        self._numbers = [
            number << 8 if keeps else _DROPPED
            for number, keeps in zip(accumulate(kept, initial=first), kept, strict=False)
        ]
        self._whole = all(kept)
        self._exact = exact
        self._advance()

    def take(self, last: str, found: dict[str, array[int]]) -> None:
        """Add the keys of the terms up to `last` to what was found of them in earlier segments."""
        end = bisect_right(self.terms, last)
        for term, keys in zip(self.terms[:end], self._keys, strict=False):
            if term in found:
                found[term] += keys
            elif keys:
                found[term] = keys
        if end == len(self.terms):
            self._advance()
        else:
            del self.terms[:end], self._keys[:end]

    def _advance(self) -> None:
        leaf = next(self._leaves, None)
        self.terms: list[str] = leaf.names if leaf else []
        self._keys = (
            [self._renumbered(*each) for each in zip(leaf.names, leaf.lists(), strict=True)] if leaf else []
        )

    def _renumbered(self, term: str, postings: Block) -> array[int]:
        ids, often = postings
        numbers = map(self._numbers.__getitem__, ids)
        if self._whole and isinstance(often, bytes):
            return array("I", map(or_, numbers, often))
        pairs = [(number, times) for number, times in zip(numbers, often, strict=True) if number != _DROPPED]
        many = [times for _, times in pairs if times >= MANY]
        if many:
            self._exact[term] += many
        return array("I", [number | min(times, MANY) for number, times in pairs])
