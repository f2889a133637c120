"""Rebuilding: all segments anew from the packs, or all of it from the sources that are there."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from prune_mcp.search.index import Index
from prune_mcp.search.indexing.indexer import locked
from prune_mcp.search.indexing.lock import WAIT_SECONDS, WriterLock
from prune_mcp.search.indexing.progress import IndexReport, Pace, Progress
from prune_mcp.search.indexing.run import Indexing
from prune_mcp.search.indexing.slices import SLICE_BYTES
from prune_mcp.sessions.session_file import SessionFile


def rebuild(
    index: Index,
    files: Sequence[SessionFile],
    progress: Callable[[Progress], None] | None = None,
    stop: Callable[[], bool] | None = None,
    everything: bool = False,
    wait: float = WAIT_SECONDS,
) -> IndexReport:
    """Build the index anew from the packs, then index what is pending; every frame is checked on the way.

    With `everything` the sources that are there are read anew as well, from their starts; what those that are gone
    said comes from the packs.

    Raises:
        WriterBusy: another process writes to the history for longer than `wait` seconds.
        StoreError: as `Indexer.run`.
    """
    pace = Pace(progress, stop)
    with WriterLock(index.paths.history) as lock:
        lock.take("rebuilding the index", wait)
        return locked(
            index,
            lambda: Indexing(index, files, pace, pace.over, SLICE_BYTES, True, anew=True, reread=everything),
        )
