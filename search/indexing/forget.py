"""Forgetting: sources leave packs, segments, catalog and kept results, and do not come back by themselves."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass
from pathlib import Path

from prune_mcp.search.catalog.schema import DEAD
from prune_mcp.search.catalog.source import Source, record_of
from prune_mcp.search.catalog.writer import CatalogWriter
from prune_mcp.search.index import Index
from prune_mcp.search.indexing.forgotten import file_hash, session_hash
from prune_mcp.search.indexing.lock import WAIT_SECONDS, WriterLock
from prune_mcp.search.indexing.recovery import clear, writing_catalog
from prune_mcp.search.indexing.renewal import renew, wanting
from prune_mcp.search.indexing.rewriting import Rewritten, adopt_rewritten, remove_old, rewrite, with_free_space
from prune_mcp.search.packs.pack import Packs
from prune_mcp.search.paths import Paths
from prune_mcp.search.rows import SourceRecord
from prune_mcp.search.segments.segment import Segment
from prune_mcp.search.watch import IMPORTS
from prune_mcp.sessions.session_file import SessionFile
from prune_mcp.storage.failures import Failures


@dataclass(frozen=True, slots=True)
class Forgot:
    """What was forgotten: how many sources, passages, and bytes of text."""

    sources: int
    passages: int
    bytes: int


def forget(
    index: Index,
    chosen: Callable[[SourceRecord], bool],
    files: Sequence[SessionFile] = (),
    wait: float = WAIT_SECONDS,
) -> Forgot:
    """Forget the sources that `chosen` says yes to, and `files`: no byte of them stays in history or index.

    While their files are there they are not indexed or found again, until `remember` is told to. Copies that we
    keep of imported ones are taken away too; what hosts wrote stays.

    Raises:
        WriterBusy: another process writes to the history for longer than `wait` seconds.
        StoreError: something cannot be written; then nothing is forgotten, or it is not all taken away yet, and
            forgetting it again goes on.
    """
    with WriterLock(index.paths.history) as lock:
        lock.take("forgetting", wait)
        with closing(writing_catalog(index.paths)) as catalog, closing(Packs()) as packs:
            index.forgotten.add(hash for file in files for hash in _file_hashes(file))
            with Failures(index.paths.catalog):
                forgot = _forget(index, catalog, packs, chosen)
        _take_copies(index.paths, [file.path for file in files])
        return forgot


def remember(index: Index, files: Sequence[SessionFile], wait: float = WAIT_SECONDS) -> None:
    """Let these files, and the sessions in them, be indexed again.

    Raises:
        WriterBusy, StoreError: as `forget`.
    """
    with WriterLock(index.paths.history) as lock:
        lock.take("remembering", wait)
        index.forgotten.remove(hash for file in files for hash in _file_hashes(file))


def _forget(index: Index, catalog: CatalogWriter, packs: Packs, chosen: Callable[[SourceRecord], bool]) -> Forgot:
    paths = index.paths
    _take_away(paths)
    sources = [source for source in catalog.sources() if chosen(record_of(source))]
    if not sources:
        # An earlier forgetting that was cut short may have left files of it.
        clear(catalog, paths)
        return Forgot(0, 0, 0)
    # First of all, so that nothing comes back when what follows is cut short.
    index.forgotten.add(hash for source in sources for hash in _hashes(source))
    renew(catalog, paths, packs, wanting(catalog, paths))
    numbers = {source.number for source in sources}
    shards = {row.shard for number in numbers for row in catalog.frames_of(number)} | set(with_free_space(catalog))
    segments = catalog.segments()
    rewritten = [rewrite(catalog, paths, packs, shard, numbers) for shard in sorted(shards)]
    _take_out(catalog, paths, sources, rewritten)
    index.close()
    packs.close()
    for one in rewritten:
        remove_old(paths, one, [name for name, *_ in segments.get(one.pack.shard, [])])
    clear(catalog, paths)
    catalog.wipe()
    _take_copies(paths, [Path(source.path) for source in sources])
    known = [source for source in sources if source.status != DEAD]
    return Forgot(len(known), sum(one.passages for one in known), sum(one.bytes for one in known))


def _take_out(
    catalog: CatalogWriter, paths: Paths, sources: Sequence[Source], rewritten: Sequence[Rewritten]
) -> None:
    with catalog.change():
        for one in rewritten:
            adopt_rewritten(catalog, one)
        for source in sources:
            catalog.forget(source)
        # No segment has rows of dead sources now.
        catalog.run(f"DELETE FROM sources WHERE status = {DEAD}")
        catalog.drop_tools(_unused_tools(catalog, paths))
        catalog.run("UPDATE state SET epoch = epoch + 1, wiped = 0")


def _unused_tools(catalog: CatalogWriter, paths: Paths) -> list[str]:
    """The tools that no row names any more."""
    segments = [paths.segment(shard, name) for shard, parts in catalog.segments().items() for name, *_ in parts]
    used = {number for path in segments for number in set(Segment(path).tools)}
    return [name for name, number in catalog.tools().items() if number not in used]


def _take_copies(paths: Paths, sources: Iterable[Path]) -> None:
    """Take away those of these files that are copies of our own."""
    for path in sources:
        if path.is_relative_to(paths.home.data / IMPORTS):
            with Failures(path):
                path.unlink(missing_ok=True)


def _take_away(paths: Paths) -> None:
    """Take away what else could hold their words: catalogs set aside, and kept results."""
    for path in paths.history.glob(f"{paths.catalog.name}.damaged-*"):
        with suppress(OSError):
            path.unlink()
    if paths.searches.is_dir():
        shutil.rmtree(paths.searches, ignore_errors=True)


def _file_hashes(file: SessionFile) -> tuple[str, str]:
    return file_hash(*file.place), session_hash(file.host, file.id)


def _hashes(source: Source) -> tuple[str, str]:
    return file_hash(source.path, source.inside), session_hash(source.host, source.session)
