"""Writing a shard anew, pack and segments, with only what the catalog names: to forget, and to win back space."""

from __future__ import annotations

import contextlib
from collections.abc import Collection, Iterable
from dataclasses import dataclass

from prune_mcp.search.catalog.writer import CatalogWriter, FrameRow, PackRow
from prune_mcp.search.indexing.merging import remove
from prune_mcp.search.indexing.renewal import renew
from prune_mcp.search.packs.frame import FrameDamaged
from prune_mcp.search.packs.pack import OPENING, PackEnd, Packs
from prune_mcp.search.paths import Paths
from prune_mcp.search.segments.segment import SegmentDamaged
from prune_mcp.storage.failures import Failures, from_system

# A pack is written anew when so many bytes of it are free, and that is more than half of it.
FREE_BYTES = 8 << 20


@dataclass(frozen=True, slots=True)
class Rewritten:
    """A shard written anew: its pack with the frames, and (name, bytes, docs) of its segment if it has any rows.

    Until it is adopted the catalog knows nothing of it.
    """

    old: PackRow
    pack: PackRow
    segment: tuple[str, int, int] | None
    frames: list[FrameRow]


def wasteful(catalog: CatalogWriter) -> list[str]:
    """The shards whose packs are more than half free."""
    used = _used(catalog).items()
    return [shard for shard, (pack, named) in used if FREE_BYTES < pack.size - named > pack.size / 2]


def with_free_space(catalog: CatalogWriter) -> list[str]:
    """The shards whose packs hold anything that the catalog does not name."""
    return [shard for shard, (pack, used) in _used(catalog).items() if pack.size > used]


def rewrite(catalog: CatalogWriter, paths: Paths, packs: Packs, shard: str, without: Collection[int]) -> Rewritten:
    """Write a shard's pack and segment anew, without the sources of these numbers.

    Raises:
        StoreError: there is no room.
    """
    try:
        return _rewritten(catalog, paths, packs, shard, without)
    except (FrameDamaged, SegmentDamaged):
        renew(catalog, paths, packs, [shard])
        return _rewritten(catalog, paths, packs, shard, without)


def _rewritten(
    catalog: CatalogWriter, paths: Paths, packs: Packs, shard: str, without: Collection[int]
) -> Rewritten:
    old = catalog.packs()[shard]
    name = f"{catalog.version + 1}-rewritten"
    try:
        pack, frames, starts = _pack(catalog, paths, packs, old, without)
        with Failures(paths.segment(shard, name)):
            segment = _segment(catalog, paths, shard, name, without, starts)
    except BaseException as error:
        discard(paths, PackRow(shard, old.generation + 1, 0), name)
        if isinstance(error, OSError):
            raise from_system(error, catalog.path) from error
        raise
    return Rewritten(old, pack, segment, frames)


def adopt_rewritten(catalog: CatalogWriter, rewritten: Rewritten) -> None:
    """Let the catalog name what was written anew instead of what was there, inside of `change`."""
    shard = rewritten.pack.shard
    catalog.run("DELETE FROM frames WHERE shard = ?", (shard,))
    catalog.put_frames(rewritten.frames)
    if rewritten.frames:
        catalog.put_pack(rewritten.pack)
    else:
        catalog.run("DELETE FROM packs WHERE shard = ?", (shard,))
    catalog.drop_segments(shard, catalog.segment_names(shard))
    if rewritten.segment:
        catalog.put_segment(shard, *rewritten.segment)


def remove_old(paths: Paths, rewritten: Rewritten, segments: Iterable[str]) -> None:
    """Take away what the catalog no longer names; where the system forbids it, the next writer does."""
    with contextlib.suppress(OSError):
        paths.pack(rewritten.old.shard, rewritten.old.generation).unlink()
    if not rewritten.frames:
        with contextlib.suppress(OSError):
            paths.pack(rewritten.pack.shard, rewritten.pack.generation).unlink()
    for name in segments:
        remove(paths, rewritten.pack.shard, name)


def discard(paths: Paths, pack: PackRow, segment: str) -> None:
    """Take away what was written anew and is not to be used."""
    with contextlib.suppress(OSError):
        paths.pack(pack.shard, pack.generation).unlink()
    remove(paths, pack.shard, segment)


def _used(catalog: CatalogWriter) -> dict[str, tuple[PackRow, int]]:
    """Each pack with how many bytes of it the catalog names."""
    used = dict(catalog.rows("SELECT shard, sum(length) FROM frames GROUP BY shard"))
    return {shard: (pack, used.get(shard, 0) + len(OPENING)) for shard, pack in catalog.packs().items()}


def _pack(
    catalog: CatalogWriter, paths: Paths, packs: Packs, old: PackRow, without: Collection[int]
) -> tuple[PackRow, list[FrameRow], dict[int, int]]:
    path, target = (paths.pack(old.shard, generation) for generation in (old.generation, old.generation + 1))
    end = PackEnd(target, 0)
    frames: list[FrameRow] = []
    starts: dict[int, int] = {}
    try:
        for row in catalog.frames_in(old.shard):
            if row.source in without:
                continue
            starts[row.start] = end.add(packs.read(path, row.start))
            frames.append(row._replace(start=starts[row.start]))
        end.sync()
    finally:
        end.close()
    return PackRow(old.shard, old.generation + 1, end.size), frames, starts


def _segment(
    catalog: CatalogWriter,
    paths: Paths,
    shard: str,
    name: str,
    without: Collection[int],
    starts: dict[int, int],
) -> tuple[str, int, int] | None:
    from prune_mcp.search.segments.merge import merge
    from prune_mcp.search.segments.segment import Segment

    dropped = catalog.dead().union(without)
    parts = [Segment(paths.segment(shard, part)) for part in catalog.segment_names(shard)]
    path = paths.segment(shard, name)
    if not parts:
        return None
    merge(parts, path, lambda source: source not in dropped, starts)
    docs = Segment(path).docs
    if not docs:
        path.unlink()
        return None
    return name, path.stat().st_size, docs
