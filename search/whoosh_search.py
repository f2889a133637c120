"""Whoosh's own searcher over our segments: for wildcards, fuzzy words and whatever else its queries can say.

Importing this module imports Whoosh, which takes long; the usual ways of searching do without.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import accumulate, compress
from typing import NamedTuple

from whoosh.query import Query
from whoosh.reading import IndexReader, MultiReader
from whoosh.searching import Searcher

from prune_mcp.search.segment import Segment
from prune_mcp.search.whoosh_codec import FIELD, open_reader

__all__ = ["FIELD", "WhooshHit", "expand", "search"]


class WhooshHit(NamedTuple):
    """A document that was found: which of the segments it is in, its number there, and its score."""

    segment: int
    doc: int
    score: float


def search(
    segments: Sequence[Segment],
    query: Query,
    limit: int | None = None,
    masks: Sequence[Sequence[int]] | None = None,
) -> list[WhooshHit]:
    """The documents that match a query on `FIELD`, the best first, scored by BM25F over all segments.

    `limit`: at most so many; None for all. `masks`: for each segment a number for each document, 0 leaves it out.

    Raises:
        SegmentDamaged: a segment cannot be read.
    """
    starts = [*accumulate((segment.docs for segment in segments), initial=0)]
    allowed = None
    if masks is not None:
        allowed = {start + doc for start, mask in zip(starts, masks, strict=False) for doc in _kept(mask)}
    if not starts[-1] or allowed == set():
        return []
    with Searcher(_reader(segments)) as searcher:
        found = searcher.search(query, limit=limit, filter=allowed)
        return [_hit(starts, doc, score) for doc, score in found.items()]


def expand(segments: Sequence[Segment], query: Query) -> list[str]:
    """The terms of the segments that a query on `FIELD` stands for, such as all that a wildcard fits; in order.

    Raises:
        SegmentDamaged: a segment cannot be read.
    """
    found = {term for segment in segments for _, term in query.expanded_terms(open_reader(segment))}
    return sorted(term.decode() if isinstance(term, bytes) else term for term in found)


def _reader(segments: Sequence[Segment]) -> IndexReader:
    readers = [open_reader(segment) for segment in segments]
    return readers[0] if len(readers) == 1 else MultiReader(readers)


def _kept(mask: Sequence[int]) -> compress[int]:
    return compress(range(len(mask)), mask)


def _hit(starts: Sequence[int], doc: int, score: float) -> WhooshHit:
    segment = bisect_right(starts, doc) - 1
    return WhooshHit(segment, doc - starts[segment], score)
