"""Damage in packs: readers that meet it leave marks, and the next writer looks at every frame of those packs."""

from __future__ import annotations

import contextlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from prune_mcp.search.packs.frame import FrameDamaged, check
from prune_mcp.search.packs.pack import Packs
from prune_mcp.search.paths import Paths
from prune_mcp.storage.errors import StoreError
from prune_mcp.storage.home import private_folder

if TYPE_CHECKING:
    from prune_mcp.search.catalog.writer import CatalogWriter, FrameRow


def leave_mark(paths: Paths, shard: str, start: int) -> None:
    """Mark a frame as damaged, as far as the system lets us."""
    with contextlib.suppress(OSError, StoreError):
        private_folder(paths.damaged)
        paths.damage(shard, start).touch(0o600)


def marks(paths: Paths) -> list[Path]:
    """The marks that readers left."""
    try:
        return sorted(paths.damaged.iterdir())
    except OSError:
        return []


def shard_of(mark: Path) -> str:
    """The shard of the frame that a mark is about."""
    return mark.name.rpartition("-")[0]


def sentences(paths: Paths) -> list[str]:
    """What the marks tell, a sentence for each shard."""
    found = Counter(map(shard_of, marks(paths)))
    return [
        f"Damaged frames in the kept text of {shard}: {count}; the next indexing mends what is still on disk."
        for shard, count in sorted(found.items(), reverse=True)
    ]


def unsound(
    catalog: CatalogWriter, paths: Paths, packs: Packs, shards: Iterable[str], each: Callable[[], None]
) -> list[str]:
    """Those of these shards with a frame that is not as it was written; `each` is called before every frame.

    A pack that cannot be opened or read for now is not taken for a damaged one.
    """
    found = []
    for shard in shards:
        path = paths.pack(shard, catalog.packs()[shard].generation)
        if not _sound(packs, path, catalog.frames_in(shard), each):
            found.append(shard)
    return found


def _sound(packs: Packs, path: Path, frames: Sequence[FrameRow], each: Callable[[], None]) -> bool:
    for row in frames:
        each()
        try:
            check(packs.read(path, row.start), f"byte {row.start} of {path}")
        except FrameDamaged as error:
            if not unreadable_now(error):
                return False
    return True


def unreadable_now(error: FrameDamaged) -> bool:
    """Whether it was the system that kept a frame from being read, which tells nothing of the frame."""
    return isinstance(error.__cause__, OSError)


def take_away(found: Iterable[Path]) -> None:
    """Take marks away, as far as the system lets us."""
    for mark in found:
        with contextlib.suppress(OSError):
            mark.unlink(missing_ok=True)
