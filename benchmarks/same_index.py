"""What an index holds, passage by passage and term by term, to be compared with another of the same sessions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple
from zlib import crc32

from prune_mcp.search.index import Index
from prune_mcp.search.rows import IndexView, Row
from prune_mcp.search.segments.segment import Segment


class Held(NamedTuple):
    """One passage as an index holds it: where, its text, and the terms that it is found by."""

    path: str
    session: str
    gone: bool
    entry: str
    at: int
    role: str
    tool: str
    time: float
    flags: int
    text: str
    terms: int


def held(index: Index) -> Counter[Held]:
    """Every passage of a live source that a search of the index can find, and how often."""
    view = index.view()
    return Counter(
        one
        for shard, segments in view.shards.items()
        for segment in segments
        for one in _of_segment(index, view, shard, segment)
    )


def _of_segment(index: Index, view: IndexView, shard: str, segment: Segment) -> Iterator[Held]:
    terms = _terms(segment)
    for document in range(segment.docs):
        source = view.sources.get(segment.sources[document])
        if source is None:
            continue
        row = Row(source.number, 0, 0, 0, 0, segment.copies[document], segment.frames[document],
                  segment.slots[document])  # fmt: skip
        frame = index.frame(shard, row)
        kept = frame.kept[row.slot]
        yield Held(
            Path(source.path).name,
            source.session,
            source.gone,
            kept.entry,
            kept.at,
            kept.role,
            view.tools[segment.tools[document]],
            kept.time,
            segment.flags[document],
            frame.text(row.slot),
            terms[document],
        )


def _terms(segment: Segment) -> list[int]:
    """For each document the sum of checksums over its terms, each with how often it stands there."""
    sums = [0] * segment.docs
    for term, _ in segment.term_frequencies():
        checksum = crc32(term.encode("utf-8", "surrogatepass"))
        for document, frequency in zip(*segment.postings(term), strict=True):
            sums[document] += checksum * frequency
    return sums
