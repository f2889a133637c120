"""Indexing: brings what is pending into the index, the newest first, one slice after the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from prune_mcp.search.catalog.snapshot import damaged
from prune_mcp.search.index import Index
from prune_mcp.search.indexing.lock import WriterBusy, WriterLock
from prune_mcp.search.indexing.progress import IndexReport, Pace, Progress
from prune_mcp.search.indexing.recovery import set_aside
from prune_mcp.search.indexing.run import Indexing
from prune_mcp.search.indexing.slices import SLICE_BYTES
from prune_mcp.sessions.session_file import SessionFile
from prune_mcp.storage.errors import StoreError
from prune_mcp.storage.failures import Failures


class Indexer:
    """Indexes what of `files`, all that are there now, the index does not cover."""

    def __init__(self, index: Index, files: Sequence[SessionFile]) -> None:
        self._index = index
        self._files = files

    def run(
        self,
        progress: Callable[[Progress], None] | None = None,
        stop: Callable[[], bool] | None = None,
        slice_bytes: int = SLICE_BYTES,
        everything: bool = False,
    ) -> IndexReport:
        """Index, until all is in, `stop` says so, or another writer wants to have a turn.

        With `everything` also what is small and still being written to. Where another process writes already,
        nothing is done and the report says so.

        Raises:
            StoreNewer: a newer version of prune-mcp wrote the history; it is left as it is.
            StoreFull: the disk is full; what was committed before stays.
            StoreError: the history cannot be read or written.
        """
        pace = Pace(progress, stop)
        with WriterLock(self._index.paths.history) as lock:
            try:
                lock.take("indexing")
            except WriterBusy as error:
                return IndexReport(busy=str(error))
            return locked(
                self._index,
                lambda: Indexing(
                    self._index,
                    self._files,
                    pace,
                    lambda: pace.over() or lock.wanted(),
                    slice_bytes,
                    everything,
                ),
            )


def locked(index: Index, make: Callable[[], Indexing]) -> IndexReport:
    """Run an indexing with the lock held; where the catalog turns out to be damaged, once more with a new one.

    Raises:
        StoreError: the history cannot be read or written.
    """
    try:
        with Failures(index.paths.catalog):
            return make().run()
    except StoreError as error:
        if not damaged(error):
            raise
        with Failures(index.paths.catalog):
            set_aside(index.paths)
            report = make().run()
        report.notes.insert(0, f"The catalog was damaged, set aside and made anew ({error}).")
        return report
