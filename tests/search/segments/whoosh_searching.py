"""Whoosh's own searcher over our segments, which checks them against an index of its own."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Any, NamedTuple

from whoosh.codec import base
from whoosh.query import Query
from whoosh.reading import IndexReader, MultiReader, TermInfo
from whoosh.searching import Searcher

from prune_mcp.search.segments.lengths import LENGTHS
from prune_mcp.search.segments.segment import Segment
from prune_mcp.search.segments.whoosh_terms import FIELD, Cursor, TermsReader, WhooshSegment, open_reader
from tests.search.segments.posting_matcher import PostingInfo, PostingMatcher


class WhooshHit(NamedTuple):
    """A document that was found: which of the segments it is in, its number there, and its score."""

    segment: int
    doc: int
    score: float


def search(segments: Sequence[Segment], query: Query, limit: int | None = None) -> list[WhooshHit]:
    """The documents that match a query on `FIELD`, the best first, scored by BM25F over all segments.

    `limit`: at most so many; None for all.
    """
    starts = [*accumulate((segment.docs for segment in segments), initial=0)]
    if not starts[-1]:
        return []
    with Searcher(_reader(segments)) as searcher:
        found = searcher.search(query, limit=limit)
        return [_hit(starts, doc, score) for doc, score in found.items()]


def _reader(segments: Sequence[Segment]) -> IndexReader:
    readers = [open_reader(_Searched(segment)) for segment in segments]
    return readers[0] if len(readers) == 1 else MultiReader(readers)


def _hit(starts: Sequence[int], doc: int, score: float) -> WhooshHit:
    segment = bisect_right(starts, doc) - 1
    return WhooshHit(segment, doc - starts[segment], score)


class _Searched(WhooshSegment):
    def codec(self) -> base.Codec:
        return _Codec()


class _Codec(base.Codec):
    def terms_reader(self, storage: None, segment: _Searched) -> _PostingsReader:
        return _PostingsReader(segment.opened)

    def per_document_reader(self, storage: None, segment: _Searched) -> _DocumentReader:
        return _DocumentReader(segment.opened)


class _DocumentReader(base.PerDocumentReader):
    """How many documents there are, and how long."""

    def __init__(self, segment: Segment) -> None:
        self._segment = segment

    def doc_count(self) -> int:
        return self._segment.docs

    doc_count_all = doc_count

    def has_deletions(self) -> bool:
        return False

    def is_deleted(self, docnum: int) -> bool:
        return False

    def deleted_docs(self) -> frozenset[int]:
        return frozenset()

    def doc_field_length(self, docnum: int, fieldname: str, default: int = 0) -> int:
        return LENGTHS[self._segment.lengths[docnum]]

    def field_length(self, fieldname: str) -> int:
        return self._segment.total_length

    def min_field_length(self, fieldname: str) -> int:
        return LENGTHS[self._segment.shortest]

    def max_field_length(self, fieldname: str) -> int:
        return LENGTHS[self._segment.longest]

    def stored_fields(self, docnum: int) -> dict[str, Any]:
        return {}


class _InfoCursor(Cursor):
    def term_info(self) -> PostingInfo | None:
        return None if self._term is None else PostingInfo(self._segment, self._term)


class _PostingsReader(TermsReader):
    """The terms, and where each of them stands."""

    def cursor(self, fieldname: str, fieldobj: object) -> _InfoCursor:
        return _InfoCursor(self._segment)

    def items(self) -> Iterator[tuple[tuple[str, bytes], TermInfo]]:
        return self.items_from(FIELD, b"")

    def items_from(self, fieldname: str, prefix: bytes) -> Iterator[tuple[tuple[str, bytes], TermInfo]]:
        return ((term, self.term_info(*term)) for term in self.terms_from(fieldname, prefix))

    def term_info(self, fieldname: str, text: bytes) -> PostingInfo:
        return PostingInfo(self._segment, text.decode())

    def frequency(self, fieldname: str, text: bytes) -> int:
        return self.term_info(fieldname, text).weight()

    def doc_frequency(self, fieldname: str, text: bytes) -> int:
        return self._segment.frequency(text.decode())

    def matcher(self, fieldname: str, text: bytes, format_: object, scorer: object = None) -> PostingMatcher:
        return PostingMatcher(self._segment, (fieldname, text), format_, scorer)
