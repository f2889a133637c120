"""Indexing: brings what is pending into the index, the newest first, one slice after the other."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from prune_mcp.search.catalog_writer import CatalogWriter
from prune_mcp.search.index import Index
from prune_mcp.search.lock import WriterBusy, WriterLock
from prune_mcp.search.slice import Slice
from prune_mcp.search.taking import whole
from prune_mcp.sessions.model import SessionError
from prune_mcp.sessions.session_file import SessionFile

SLICE_BYTES = 16 << 20


@dataclass(frozen=True, slots=True)
class Progress:
    """How far an indexing is: bytes of files, seconds since it began, and the file it is at."""

    done: int
    total: int
    seconds: float
    file: str
    passages: int


@dataclass(slots=True)
class IndexReport:
    """What an indexing did. `busy`: who indexes instead, "" where this one could."""

    busy: str = ""
    files: int = 0
    passages: int = 0
    slices: int = 0
    seconds: float = 0.0
    skipped: list[tuple[str, str]] = field(default_factory=list)


class Indexer:
    """Indexes what of `files` the index does not cover."""

    def __init__(self, index: Index, files: Sequence[SessionFile]) -> None:
        self._index = index
        self._files = files

    def run(
        self,
        progress: Callable[[Progress], None] | None = None,
        stop: Callable[[], bool] | None = None,
        slice_bytes: int = SLICE_BYTES,
        seconds: float | None = None,
    ) -> IndexReport:
        """Index, until all is done, `stop` says so, or the time is up."""
        lock = WriterLock(self._index.paths.history)
        try:
            lock.take("indexing")
        except WriterBusy as error:
            return IndexReport(busy=str(error))
        with lock:
            catalog = CatalogWriter(self._index.paths.catalog)
            try:
                return self._run(catalog, progress, stop, slice_bytes, seconds)
            finally:
                catalog.close()

    def _run(
        self,
        catalog: CatalogWriter,
        progress: Callable[[Progress], None] | None,
        stop: Callable[[], bool] | None,
        slice_bytes: int,
        seconds: float | None,
    ) -> IndexReport:
        report = IndexReport()
        began = time.monotonic()
        waiting = sorted(self._index.pending(self._files), key=lambda one: -one.file.mtime)
        total, done = sum(one.size for one in waiting), 0
        part = Slice(catalog, self._index.paths)
        for one in waiting:
            if (stop and stop()) or (seconds is not None and time.monotonic() - began > seconds):
                break
            try:
                whole(one.file, part.number(), part)
            except SessionError as error:
                part.skip(one.file, str(error))
                report.skipped.append((str(one.file.path), str(error)))
            done += one.size
            report.files += 1
            if progress:
                progress(Progress(done, total, time.monotonic() - began, str(one.file.path), report.passages))
            if part.bytes >= slice_bytes:
                report.passages += part.passages
                part.commit()
                report.slices += 1
                part = Slice(catalog, self._index.paths)
        report.passages += part.passages
        part.commit()
        report.seconds = time.monotonic() - began
        return report
