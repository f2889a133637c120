"""Our segments' terms as Whoosh reads them: its queries tell which of them a pattern with stars means.

Importing this module imports Whoosh, which takes long; the usual ways of searching do without.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from whoosh.codec import base
from whoosh.fields import TEXT, Schema
from whoosh.query import Query
from whoosh.reading import SegmentReader

from prune_mcp.search.segments.segment import Segment

FIELD = "text"


def expand(segments: Sequence[Segment], query: Query) -> list[str]:
    """The terms of the segments that a query on `FIELD` stands for, such as all that a wildcard fits; in order.

    Raises:
        SegmentDamaged: a segment cannot be read.
    """
    found = {term for segment in segments for _, term in query.expanded_terms(open_reader(WhooshSegment(segment)))}
    return sorted(term.decode() if isinstance(term, bytes) else term for term in found)


def open_reader(segment: WhooshSegment) -> SegmentReader:
    """A Whoosh reader of a segment, which stays open when the reader is closed."""
    return SegmentReader(None, Schema(**{FIELD: TEXT(phrase=False)}), segment)


class WhooshSegment(base.Segment):
    """What Whoosh wants to know of a segment before it is read. Nothing in it is ever deleted."""

    def __init__(self, opened: Segment) -> None:
        super().__init__(opened.path.stem)
        self.opened = opened

    def codec(self) -> base.Codec:
        return _Codec()

    def doc_count_all(self) -> int:
        return self.opened.docs

    def deleted_count(self) -> int:
        return 0

    def deleted_docs(self) -> frozenset[int]:
        return frozenset()

    def is_deleted(self, docnum: int) -> bool:
        return False


class _Codec(base.Codec):
    """Hands Whoosh the readers of a segment."""

    def terms_reader(self, storage: None, segment: WhooshSegment) -> TermsReader:
        return TermsReader(segment.opened)

    def per_document_reader(self, storage: None, segment: WhooshSegment) -> base.PerDocumentReader:
        # Of documents, what terms there are asks nothing.
        return base.PerDocumentReader()


class Cursor(base.FieldCursor):
    """Walks through the terms in order; None behind the last one."""

    def __init__(self, segment: Segment) -> None:
        self._segment = segment
        self.first()

    def first(self) -> str | None:
        return self.find("")

    def find(self, term: str | bytes) -> str | None:
        start = term.decode() if isinstance(term, bytes) else term
        self._rest = self._segment.term_frequencies(start)
        return self.next()

    def next(self) -> str | None:
        self._term = next(self._rest, (None, 0))[0]
        return self._term

    def text(self) -> str | None:
        return self._term

    def is_valid(self) -> bool:
        return self._term is not None


class TermsReader(base.TermsReader):
    """The terms. Whoosh writes a term as UTF-8."""

    def __init__(self, segment: Segment) -> None:
        self._segment = segment

    def __contains__(self, term: tuple[str, bytes]) -> bool:
        return term[0] == FIELD and self._segment.frequency(term[1].decode()) > 0

    def cursor(self, fieldname: str, fieldobj: object) -> Cursor:
        return Cursor(self._segment)

    def terms(self) -> Iterator[tuple[str, bytes]]:
        return self.terms_from(FIELD, b"")

    def terms_from(self, fieldname: str, prefix: bytes) -> Iterator[tuple[str, bytes]]:
        return ((FIELD, term.encode()) for term, _ in self._segment.term_frequencies(prefix.decode()))

    def indexed_field_names(self) -> list[str]:
        return [FIELD]
