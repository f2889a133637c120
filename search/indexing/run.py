"""One run of indexing by the holder of the writer's lock: make good, mark what is gone, take in, tidy up."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from prune_mcp.search.catalog.schema import LIVE
from prune_mcp.search.catalog.writer import CatalogWriter
from prune_mcp.search.index import Index
from prune_mcp.search.indexing.gone import mark_gone
from prune_mcp.search.indexing.merging import crowded, merge_all
from prune_mcp.search.indexing.pending import Pending, Uncovered, worth_indexing
from prune_mcp.search.indexing.progress import IndexReport, Pace
from prune_mcp.search.indexing.recovery import clear, writing_catalog
from prune_mcp.search.indexing.renewal import Rebuilt, renew, wanting
from prune_mcp.search.indexing.rewriting import adopt_rewritten, remove_old, rewrite, wasteful
from prune_mcp.search.indexing.slices import Slices
from prune_mcp.search.indexing.taking import Stopped, Taking
from prune_mcp.search.packs.damage import marks, shard_of, take_away, unsound
from prune_mcp.search.packs.pack import Packs
from prune_mcp.search.rows import PlaceRow
from prune_mcp.sessions.session_file import SessionFile


class Indexing:
    """One run over `files`, all that are there now. `over` says when to stop. `everything`: also what is small and
    still being written to, and every frame is checked. `anew`: all segments are built anew; `reread`: all sources
    are read anew as well."""

    def __init__(
        self,
        index: Index,
        files: Sequence[SessionFile],
        pace: Pace,
        over: Callable[[], bool],
        slice_bytes: int,
        everything: bool = False,
        anew: bool = False,
        reread: bool = False,
    ) -> None:
        self._index = index
        self._files = files
        self._pace = pace
        self._over = over
        self._slice_bytes = slice_bytes
        self._everything = everything
        self._anew = anew
        self._reread = reread
        self._packs = Packs()
        self._report = IndexReport()

    def run(self) -> IndexReport:
        """Do it.

        Raises:
            StoreError: the history cannot be read or written.
        """
        catalog = writing_catalog(self._index.paths)
        try:
            self._make_good(catalog)
            places = catalog.places()
            mark_gone(catalog, places, self._files)
            self._take_in(catalog, places)
            self._tidy(catalog)
        except Stopped:
            pass
        finally:
            self._packs.close()
            catalog.close()
        self._report.seconds = self._pace.passed
        return self._report

    def _make_good(self, catalog: CatalogWriter) -> None:
        paths = self._index.paths
        clear(catalog, paths)
        if self._reread:
            catalog.unmark()
        packs = catalog.packs()
        marked = marks(paths)
        shards = sorted(packs, reverse=True) if self._anew else self._wanting(catalog, marked)
        self._pace.total = sum(packs[shard].size for shard in shards)
        if shards:
            self._report.notes += _told(renew(catalog, paths, self._packs, shards, self._pass))
        take_away(marked)

    def _wanting(self, catalog: CatalogWriter, marked: Sequence[Path]) -> list[str]:
        """The shards to build anew: those without sound segments, and those whose packs have damaged frames."""
        paths = self._index.paths
        found = set(wanting(catalog, paths))
        named = {shard_of(mark) for mark in marked}.intersection(catalog.packs())
        found.update(unsound(catalog, paths, self._packs, named - found, self._go_on))
        return sorted(found, reverse=True)

    def _go_on(self) -> None:
        if self._over():
            raise Stopped

    def _pass(self, shard: str, size: int) -> None:
        self._pace.at(shard)
        self._pace.done += size
        self._go_on()

    def _take_in(self, catalog: CatalogWriter, places: Iterable[PlaceRow]) -> None:
        now = time.time()
        live = (place for place in places if place.status == LIVE)
        uncovered = Uncovered(live, catalog.skipped(), catalog.states, self._index.forgotten)
        waiting = [one for one in uncovered.of(self._files) if self._everything or worth_indexing(one, now)]
        waiting.sort(key=lambda one: one.file.mtime, reverse=True)
        self._pace.total = self._pace.done + sum(one.size for one in waiting)
        slices = Slices(catalog, self._index.paths, self._slice_bytes)
        taking = Taking(
            catalog, slices, self._packs, self._index.forgotten, self._pace, self._over, self._everything
        )
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
            raise
        except BaseException:
            slices.drop()
            raise
        finally:
            self._report.passages, self._report.commits = slices.passages, slices.count

    def _take(self, taking: Taking, one: Pending) -> None:
        self._pace.at(one.file.filename)
        if reason := taking.take(one.file):
            self._report.skipped.append((one.file.filename, reason))
        self._pace.done += one.size
        self._report.files += 1
        self._report.bytes += one.size
        self._report.left -= 1
        self._pace.at(one.file.filename)

    def _tidy(self, catalog: CatalogWriter) -> None:
        """Win back space, when there is time."""
        for shard in crowded(catalog):
            if self._over():
                return
            merge_all(catalog, self._index.paths, shard)
        for shard in wasteful(catalog):
            if self._over():
                return
            segments = catalog.segment_names(shard)
            rewritten = rewrite(catalog, self._index.paths, self._packs, shard, ())
            with catalog.change():
                adopt_rewritten(catalog, rewritten)
            remove_old(self._index.paths, rewritten, segments)


def _told(rebuilt: Rebuilt) -> list[str]:
    """What was built anew, a sentence each."""
    notes = [f"The index was built anew for {', '.join(rebuilt.shards)}."] if rebuilt.shards else []
    if rebuilt.reread:
        notes.append(f"{rebuilt.reread} passages were damaged where they are kept, and are read again.")
    if rebuilt.lost:
        notes.append(f"{rebuilt.lost} passages are lost: damaged where they are kept, and their source is gone.")
    return notes
