"""Checking the history of past sessions: every frame of the packs, and every byte of the index's segments."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from prune_mcp.search.index import Index
from prune_mcp.search.packs.frame import FrameDamaged
from prune_mcp.search.segments.segment_file import SegmentDamaged

FRAMES = "SELECT shard, start, source FROM frames ORDER BY shard, start"

# Frames read, and how many there are.
Progress = Callable[[int, int], None]


@dataclass(frozen=True, slots=True)
class HistoryFault:
    """Something in the history that is not as it was written. `lost`: nothing brings it back; else indexing anew
    does."""

    what: str
    lost: bool = False


def history_faults(index: Index, progress: Progress | None = None) -> Iterator[HistoryFault]:
    """Everything in the history that is not as it was written. Others may write meanwhile.

    Raises:
        StoreNewer: a newer version of prune-mcp wrote it.
    """
    view = index.view()
    for sentence in view.damaged:
        yield HistoryFault(sentence)
    for shard, segments in view.shards.items():
        for segment in segments:
            try:
                segment.check()
            except (SegmentDamaged, OSError) as error:
                yield HistoryFault(f"The index for {shard} is damaged in part ({error}).")
    frames = index.rows(FRAMES) if not view.damaged else []
    for number, (shard, start, source) in enumerate(frames):
        if progress is not None:
            progress(number, len(frames))
        yield from _frame(index, shard, start, source)


def _frame(index: Index, shard: str, start: int, source: int) -> Iterator[HistoryFault]:
    try:
        index.frame_at(shard, start)
    except FrameDamaged as error:
        # Another process may have written the pack anew since the frames were listed.
        if (shard, start, source) in map(tuple, index.rows(FRAMES)):
            known = index.view().sources.get(source)
            gone = known is None or known.gone
            whose = f" of session {known.session}" if known else ""
            yield HistoryFault(f"Kept text{whose} is damaged: {error}", lost=gone)
