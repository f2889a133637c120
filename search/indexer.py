"""Indexing: brings what is pending into the index, the newest first, one slice after the other."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from prune_mcp.search.catalog import damaged
from prune_mcp.search.catalog_writer import CatalogWriter
from prune_mcp.search.gone import mark_gone
from prune_mcp.search.index import Index
from prune_mcp.search.lock import WriterBusy, WriterLock
from prune_mcp.search.pack import Packs
from prune_mcp.search.pending import Pending
from prune_mcp.search.progress import IndexReport, Pace, Progress
from prune_mcp.search.rebuild import Rebuilt, rebuild_shards, wanting
from prune_mcp.search.recovery import clear, set_aside, writing_catalog
from prune_mcp.search.rewriting import adopt_rewritten, remove_old, rewrite, wasteful
from prune_mcp.search.slices import SLICE_BYTES, Slices
from prune_mcp.search.taking import QUIET_SECONDS, Stopped, Taking
from prune_mcp.sessions.session_file import SessionFile
from prune_mcp.storage.errors import StoreError

# A file written to within so many seconds, of which fewer bytes are not in, is scanned meanwhile: else a growing
# transcript would make a segment of every few lines.
FRESH_SECONDS = 120.0
SMALL_BYTES = 1 << 16


def worth_indexing(one: Pending, now: float) -> bool:
    """Whether to bring this in now: it is large, or no longer written to. `now`: seconds since the epoch."""
    quiet = abs(now - one.file.mtime)
    if one.mark and one.mark.stamp == one.file.stamp:
        # All that may be kept is in; what is left may still change.
        return quiet > QUIET_SECONDS
    return one.size >= SMALL_BYTES or quiet > FRESH_SECONDS


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
        seconds: float | None = None,
        everything: bool = False,
    ) -> IndexReport:
        """Index, until all is in, `stop` says so, the time is up, or another writer wants to have a turn.

        With `everything` also what is small and still being written to. Where another process writes already,
        nothing is done and the report says so.

        Raises:
            StoreNewer: a newer version of prune-mcp wrote the history; it is left as it is.
            StoreFull: the disk is full; what was committed before stays.
            StoreError: the history cannot be read or written.
        """
        pace = Pace(progress, stop, seconds)
        with WriterLock(self._index.paths.history) as lock:
            try:
                lock.take("indexing")
            except WriterBusy as error:
                return IndexReport(busy=str(error))
            work = _Work(self._index, self._files, pace, lambda: pace.over() or lock.wanted())
            try:
                return work.done(slice_bytes, everything)
            except StoreError as error:
                if not damaged(error):
                    raise
                set_aside(self._index.paths)
                report = work.done(slice_bytes, everything)
                report.notes.insert(0, f"The catalog was damaged, set aside and made anew ({error}).")
                return report


class _Work:
    """One run of the indexer, with the lock held."""

    def __init__(self, index: Index, files: Sequence[SessionFile], pace: Pace, over: Callable[[], bool]) -> None:
        self._index = index
        self._files = files
        self._pace = pace
        self._over = over
        self._packs = Packs()
        self._report = IndexReport()

    def done(self, slice_bytes: int, everything: bool) -> IndexReport:
        """Do it."""
        catalog = writing_catalog(self._index.paths)
        try:
            self._make_good(catalog)
            mark_gone(catalog, self._files)
            self._take_in(catalog, slice_bytes, everything)
            self._tidy(catalog)
        finally:
            self._packs.close()
            catalog.close()
        self._report.seconds = self._pace.passed
        return self._report

    def _make_good(self, catalog: CatalogWriter) -> None:
        paths = self._index.paths
        clear(catalog, paths)
        if shards := wanting(catalog, paths):
            self._report.notes += told(rebuild_shards(catalog, paths, self._packs, shards))

    def _take_in(self, catalog: CatalogWriter, slice_bytes: int, everything: bool) -> None:
        now = time.time()
        waiting = [one for one in self._index.pending(self._files) if everything or worth_indexing(one, now)]
        waiting.sort(key=lambda one: one.file.mtime, reverse=True)
        self._pace.total = sum(one.size for one in waiting)
        slices = Slices(catalog, self._index.paths, slice_bytes)
        taking = Taking(catalog, slices, self._packs, self._index.forgotten, self._pace, self._over)
        self._report.left = len(waiting)
        try:
            for one in waiting:
                if self._over():
                    break
                self._take(taking, one)
                if slices.full:
                    slices.commit()
            slices.commit()
        except Stopped:
            pass
        except BaseException:
            slices.drop()
            raise
        finally:
            self._report.passages, self._report.commits = slices.passages, slices.count

    def _take(self, taking: Taking, one: Pending) -> None:
        self._pace.at(str(one.file.path))
        if reason := taking.take(one.file):
            self._report.skipped.append((str(one.file.path), reason))
        self._pace.done += one.size
        self._report.files += 1
        self._report.bytes += one.size
        self._report.left -= 1
        self._pace.at(str(one.file.path))

    def _tidy(self, catalog: CatalogWriter) -> None:
        """Win back space, when there is time."""
        for shard in wasteful(catalog):
            if self._over():
                return
            segments = [name for name, *_ in catalog.segments().get(shard, [])]
            rewritten = rewrite(catalog, self._index.paths, self._packs, shard, ())
            with catalog.change():
                adopt_rewritten(catalog, rewritten)
            remove_old(self._index.paths, rewritten, segments)


def told(rebuilt: Rebuilt) -> list[str]:
    """What was built anew, a sentence each."""
    notes = [f"The index was built anew for {', '.join(rebuilt.shards)}."] if rebuilt.shards else []
    if rebuilt.reread:
        notes.append(f"{rebuilt.reread} passages were damaged where they are kept, and are read again.")
    if rebuilt.lost:
        notes.append(
            f"{rebuilt.lost} passages were damaged where they are kept, and are lost: their source is gone."
        )
    return notes
