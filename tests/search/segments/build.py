"""Builds segments for the tests, and reads back all they hold."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

from hypothesis import strategies as st

from prune_mcp.search.rows import Row
from prune_mcp.search.segments.segment import Segment
from prune_mcp.search.segments.segment_writer import SegmentWriter

Counts = Mapping[str, int]
Document = tuple[Row, Counts]

NUMBERS = st.integers(0, 2**32 - 1)
ROWS = st.builds(
    Row,
    source=st.integers(1, 6),
    role=st.integers(0, 7),
    tool=st.integers(0, 400),
    flags=st.integers(0, 15),
    time=NUMBERS,
    copy=st.integers(0, 2**64 - 1),
    frame=st.integers(0, 2**40),
    slot=st.integers(0, 5000),
)
TERMS = st.text("ab锁é🎉_0", min_size=1, max_size=3)
OFTEN = st.one_of(st.integers(1, 5), st.integers(250, 260), st.integers(1, 100_000))
DOCUMENTS = st.lists(st.tuples(ROWS, st.dictionaries(TERMS, OFTEN, max_size=8)), max_size=12)


def row(source: int = 1, time: int = 0) -> Row:
    """A row that says little."""
    return Row(source, 0, 0, 0, time, 0, 0, 0)


def write(path: Path, documents: Sequence[Document]) -> Segment:
    """A segment of these documents, opened."""
    writer = SegmentWriter()
    for document in documents:
        writer.add(*document)
    writer.write(path)
    return Segment(path)


def held(segment: Segment) -> list[Document]:
    """All documents of a segment, put together from what can be read of it."""
    found: list[dict[str, int]] = [{} for _ in range(segment.docs)]
    for term, docs in segment.term_frequencies():
        ids, often = segment.postings(term)
        assert len(ids) == docs == segment.frequency(term)
        for doc, times in zip(ids, often, strict=True):
            found[doc][term] = times
    columns = zip(
        *(segment.sources, segment.roles, segment.tools, segment.flags),
        *(segment.times, segment.copies, segment.frames, segment.slots),
        strict=True,
    )
    return [(Row(*numbers), counts) for numbers, counts in zip(columns, found, strict=True)]
