"""A term's postings as Whoosh walks through them, and what it wants to know of the term first."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterator

from whoosh.matching import LeafMatcher, ReadTooFar
from whoosh.reading import TermInfo

from prune_mcp.search.segments.lengths import LENGTHS
from prune_mcp.search.segments.posting_list import PostingList
from prune_mcp.search.segments.postings import MANY
from prune_mcp.search.segments.segment import Segment


class PostingInfo(TermInfo):
    """A term's numbers in one segment. Its lengths are bounds: the least and the greatest of all documents.

    Raises:
        KeyError: the segment does not hold the term.
    """

    def __init__(self, segment: Segment, term: str) -> None:
        self._segment = segment
        self._list = segment.posting_list(term)
        if not self._list.docs:
            raise KeyError(term)

    def weight(self) -> int:
        return sum(self._list.all()[1])

    def doc_frequency(self) -> int:
        return self._list.docs

    def min_length(self) -> int:
        return LENGTHS[self._segment.shortest]

    def max_length(self) -> int:
        return LENGTHS[self._segment.longest]

    def max_weight(self) -> int:
        highest = max(self._list.highest)
        return highest if highest < MANY else max(self._list.all()[1])

    def min_id(self) -> int:
        return self._list.block(0)[0][0]

    def max_id(self) -> int:
        return self._list.lasts[-1]


class PostingMatcher(LeafMatcher):
    """Walks through the postings of one term in one segment, block by block; a block is read when it is needed."""

    def __init__(self, segment: Segment, term: tuple[str, bytes], format: object, scorer: object) -> None:
        self._segment = segment
        self._term = term
        self.format = format
        self.scorer = scorer
        self._list: PostingList = segment.posting_list(term[1].decode())
        self.reset()

    def copy(self) -> PostingMatcher:
        other = PostingMatcher(self._segment, self._term, self.format, self.scorer)
        if self.is_active():
            other.skip_to(self.id())
        else:
            other._enter(self._block)
        return other

    def reset(self) -> None:
        self._enter(0)

    def _enter(self, block: int) -> None:
        """Stand at the beginning of a block; behind the last one the matcher has ended."""
        self._block = block
        self._at = 0
        self._ids, self._often = self._list.block(block) if block < len(self._list.lasts) else ((), b"")

    def is_active(self) -> bool:
        return self._at < len(self._ids)

    def id(self) -> int:
        return self._ids[self._at]

    def weight(self) -> int:
        return self._often[self._at]

    def value(self) -> bytes:
        return b""

    def all_ids(self) -> Iterator[int]:
        while self.is_active():
            yield from self._ids[self._at :]
            self._enter(self._block + 1)

    def next(self) -> bool:
        self._at += 1
        if self._at < len(self._ids):
            return False
        self._enter(self._block + 1)
        return True

    def skip_to(self, id: int) -> None:
        if not self.is_active():
            raise ReadTooFar
        lasts = self._list.lasts
        if lasts[self._block] < id:
            self._enter(bisect_left(lasts, id, self._block))
        self._at = bisect_left(self._ids, id, self._at)

    def skip_to_quality(self, minquality: float) -> int:
        skipped = 0
        while self.is_active() and self.block_quality() <= minquality:
            self._enter(self._block + 1)
            skipped += 1
        return skipped

    def block_min_id(self) -> int:
        return self._ids[0]

    def block_max_id(self) -> int:
        return self._list.lasts[self._block]

    def block_min_length(self) -> int:
        return LENGTHS[min(map(self._segment.lengths.__getitem__, self._ids))]

    def block_max_length(self) -> int:
        return LENGTHS[max(map(self._segment.lengths.__getitem__, self._ids))]

    def block_max_weight(self) -> int:
        return max(self._often)
