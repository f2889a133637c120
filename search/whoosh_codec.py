"""Our segments as Whoosh reads them: a codec, for reading only, whose one field `text` holds a segment's terms."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from whoosh.codec import base
from whoosh.fields import TEXT, Schema
from whoosh.reading import SegmentReader, TermInfo

from prune_mcp.search.lengths import LENGTHS
from prune_mcp.search.segment import Segment
from prune_mcp.search.whoosh_matcher import PostingInfo, PostingMatcher

FIELD = "text"


def open_reader(segment: Segment) -> SegmentReader:
    """A Whoosh reader of a segment, which stays open when the reader is closed."""
    return SegmentReader(None, Schema(**{FIELD: TEXT(phrase=False)}), _WhooshSegment(segment))


class _Codec(base.Codec):
    """Hands Whoosh the readers of a segment."""

    def terms_reader(self, storage: None, segment: _WhooshSegment) -> _TermsReader:
        return _TermsReader(segment.opened)

    def per_document_reader(self, storage: None, segment: _WhooshSegment) -> _DocumentReader:
        return _DocumentReader(segment.opened)


class _WhooshSegment(base.Segment):
    """What Whoosh wants to know of a segment before it is read. Nothing in it is ever deleted."""

    def __init__(self, opened: Segment) -> None:
        super().__init__(opened.path.stem)
        self.opened = opened

    def codec(self) -> _Codec:
        return _Codec()

    def doc_count_all(self) -> int:
        return self.opened.docs

    def deleted_count(self) -> int:
        return 0

    def deleted_docs(self) -> frozenset[int]:
        return frozenset()

    def is_deleted(self, docnum: int) -> bool:
        return False


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


class _Cursor(base.FieldCursor):
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

    def term_info(self) -> PostingInfo | None:
        return None if self._term is None else PostingInfo(self._segment, self._term)

    def is_valid(self) -> bool:
        return self._term is not None


class _TermsReader(base.TermsReader):
    """The terms, and where each of them stands. Whoosh writes a term as UTF-8."""

    def __init__(self, segment: Segment) -> None:
        self._segment = segment

    def __contains__(self, term: tuple[str, bytes]) -> bool:
        return term[0] == FIELD and self._segment.frequency(term[1].decode()) > 0

    def cursor(self, fieldname: str, fieldobj: object) -> _Cursor:
        return _Cursor(self._segment)

    def terms(self) -> Iterator[tuple[str, bytes]]:
        return self.terms_from(FIELD, b"")

    def terms_from(self, fieldname: str, prefix: bytes) -> Iterator[tuple[str, bytes]]:
        return ((FIELD, term.encode()) for term, _ in self._segment.term_frequencies(prefix.decode()))

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

    def indexed_field_names(self) -> list[str]:
        return [FIELD]
