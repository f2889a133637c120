"""What a writer does before anything else: make good what killed writers, lost files and damage left behind."""

from __future__ import annotations

import contextlib
import shutil
import time
from itertools import count
from pathlib import Path

from prune_mcp.search.catalog.schema import INDEX_VERSION
from prune_mcp.search.catalog.snapshot import damaged
from prune_mcp.search.catalog.writer import CatalogWriter, PackRow
from prune_mcp.search.indexing.adoption import adopt, frames_in, packs_in
from prune_mcp.search.paths import Paths
from prune_mcp.storage.errors import StoreBusy, StoreError
from prune_mcp.storage.failures import Failures


def writing_catalog(paths: Paths) -> CatalogWriter:
    """The catalog, fit to be written to: made, or made anew, when need be; the packs end where it says.

    Raises:
        StoreNewer: a newer version wrote it; all is left as it is.
        StoreError: it cannot be opened or written, or a pack cannot be read.
    """
    with Failures(paths.catalog):
        return _opened(paths)


def _opened(paths: Paths) -> CatalogWriter:
    try:
        catalog = _checked(paths)
    except StoreError as error:
        if not damaged(error):
            raise
        set_aside(paths)
        catalog = CatalogWriter(paths.catalog)
    try:
        if _outdated(catalog, paths):
            catalog.close()
            set_aside(paths)
            catalog = CatalogWriter(paths.catalog)
        if not catalog.packs() and packs_in(paths):
            adopt(catalog, paths)
        _end_packs(catalog, paths)
        if not catalog.wiped:
            with contextlib.suppress(StoreBusy):
                catalog.wipe()
    except BaseException:
        catalog.close()
        raise
    return catalog


def _checked(paths: Paths) -> CatalogWriter:
    catalog = CatalogWriter(paths.catalog)
    try:
        catalog.check()
    except BaseException:
        catalog.close()
        raise
    return catalog


def set_aside(paths: Paths) -> None:
    """Give the catalog's files another name: a new one is made from the packs and the sources.

    Raises:
        OSError: another process has them open, on a system where that forbids it.
    """
    name = _free_name(paths)
    for suffix in ("-wal", "-shm", ""):
        path = paths.catalog.with_name(paths.catalog.name + suffix)
        with contextlib.suppress(FileNotFoundError):
            path.replace(paths.catalog.with_name(name + suffix))


def _free_name(paths: Paths) -> str:
    """A name that no catalog has that was set aside before, whatever the clock says."""
    named = f"{paths.catalog.name}.damaged-{int(time.time())}"
    names = (f"{named}-{number}" if number else named for number in count())
    return next(name for name in names if not any(paths.history.glob(f"{name}*")))


def clear(catalog: CatalogWriter, paths: Paths) -> None:
    """Take away the files of the index that no catalog names: killed writers left them, or older versions."""
    named = {paths.segment(shard, name) for shard, parts in catalog.segments().items() for name, *_ in parts}
    for path in _files(paths.index):
        if path not in named:
            with contextlib.suppress(OSError):
                path.unlink()
    for folder in _folders(paths.home.cache):
        version = folder.name.removeprefix("index-")
        if folder.name.startswith("index-") and version.isdecimal() and int(version) < INDEX_VERSION:
            shutil.rmtree(folder, ignore_errors=True)


def _outdated(catalog: CatalogWriter, paths: Paths) -> bool:
    """Whether the packs hold more than this catalog can know of: it is an older copy, put back."""
    known = catalog.packs()
    if not known:
        return False
    # A killed writer left frames of the very next version at most.
    newest = catalog.version + 1
    for shard, generations in packs_in(paths).items():
        pack = known.get(shard, PackRow(shard, generations[0], 0))
        if pack.generation in generations:
            behind = frames_in(paths, shard, pack.generation, pack.size)
            if any(found.header.commit > newest for found in behind):
                return True
        elif generations[-1] > pack.generation:
            return True
    return False


def _end_packs(catalog: CatalogWriter, paths: Paths) -> None:
    """Cut off what killed writers appended, and take away packs that were not finished or no longer needed."""
    known = catalog.packs()
    for shard, generations in packs_in(paths).items():
        pack = known.get(shard, PackRow(shard, 0, 0))
        for generation in generations:
            path = paths.pack(shard, generation)
            with contextlib.suppress(OSError):
                if generation != pack.generation:
                    path.unlink()
                elif path.stat().st_size > pack.size:
                    with path.open("r+b") as file:
                        file.truncate(pack.size)


def _files(folder: Path) -> list[Path]:
    return [path for shard in _folders(folder) for path in shard.iterdir() if path.is_file()]


def _folders(folder: Path) -> list[Path]:
    return [path for path in folder.iterdir() if path.is_dir()] if folder.is_dir() else []
