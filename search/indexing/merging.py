"""Merging: many small segments of a shard become one, and dead rows go; readers keep what they have open."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import NamedTuple

from prune_mcp.search.catalog.writer import CatalogWriter
from prune_mcp.search.paths import Paths
from prune_mcp.storage.failures import from_system

# So many segments of a shard stay as they are.
MANY = 8
# Segments are merged for their dead rows alone when those are more than half, and so many.
DEAD_ROWS = 10_000
# No segment larger than this is merged again only to have fewer, in bytes.
LARGE_BYTES = 64 << 20


class Part(NamedTuple):
    """A segment in the catalog."""

    name: str
    size: int
    docs: int


def merge_small(catalog: CatalogWriter, paths: Paths, shards: Iterable[str]) -> None:
    """Merge the small segments of these shards where there are too many.

    Raises:
        StoreError: the merged one cannot be written; all stays as it was.
    """
    segments = catalog.segments()
    for shard in shards:
        parts = [Part(*part) for part in segments.get(shard, ())]
        if len(parts) > MANY and (chosen := _small(parts)):
            merge_parts(catalog, paths, shard, chosen)


def crowded(catalog: CatalogWriter) -> list[str]:
    """The shards most of whose rows are dead."""
    held = catalog.held()
    rows = {shard: sum(docs for *_, docs in parts) for shard, parts in catalog.segments().items()}
    return [shard for shard, docs in rows.items() if docs > 2 * held.get(shard, 0) + DEAD_ROWS]


def merge_all(catalog: CatalogWriter, paths: Paths, shard: str) -> None:
    """Make one segment of all of a shard's, without the rows of dead sources.

    Raises:
        StoreError: as `merge_parts`.
    """
    merge_parts(catalog, paths, shard, [Part(*part) for part in catalog.segments().get(shard, ())])


def _small(parts: Sequence[Part]) -> list[Part]:
    """The smallest ones, as long as the next is not much larger than all before it: few bytes are moved twice."""
    ordered = sorted((part for part in parts if part.size < LARGE_BYTES), key=lambda part: part.size)
    chosen, total = ordered[:2], sum(part.size for part in ordered[:2])
    for part in ordered[2:]:
        if part.size > 2 * total:
            break
        chosen.append(part)
        total += part.size
    return chosen if len(chosen) > 1 else []


def merge_parts(catalog: CatalogWriter, paths: Paths, shard: str, parts: Sequence[Part]) -> None:
    """Make one segment of these, without the rows of dead sources; damaged ones are left to be built anew.

    Raises:
        StoreError: it cannot be written; all stays as it was.
    """
    from prune_mcp.search.segments.merge import merge
    from prune_mcp.search.segments.segment import Segment, SegmentDamaged

    dead = catalog.dead()
    name = f"{catalog.version + 1}-merged"
    path = paths.segment(shard, name)
    try:
        opened = [Segment(paths.segment(shard, part.name)) for part in parts]
        merge(opened, path, lambda source: source not in dead)
        merged = Segment(path)
    except SegmentDamaged:
        for part in parts:
            if not sound(paths.segment(shard, part.name)):
                remove(paths, shard, part.name)
        return
    except OSError as error:
        path.unlink(missing_ok=True)
        raise from_system(error, path) from error
    with catalog.change():
        catalog.drop_segments(shard, [part.name for part in parts])
        if merged.docs:
            catalog.put_segment(shard, name, path.stat().st_size, merged.docs)
    del opened
    for part in parts:
        remove(paths, shard, part.name)


def sound(path: Path) -> bool:
    """Whether every byte of a segment is as it was written."""
    from prune_mcp.search.segments.segment import Segment, SegmentDamaged

    try:
        Segment(path).check()
    except SegmentDamaged:
        return False
    return True


def remove(paths: Paths, shard: str, name: str) -> None:
    """Take a segment's file away; where a reader's system forbids it, the next cleaning does."""
    try:
        paths.segment(shard, name).unlink(missing_ok=True)
    except OSError:
        return
