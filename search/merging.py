"""Merging: many small segments of a shard become one, and dead rows go; readers keep what they have open."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from prune_mcp.search.catalog_schema import DEAD
from prune_mcp.search.catalog_writer import CatalogWriter
from prune_mcp.search.paths import Paths
from prune_mcp.storage.failures import from_system

# So many segments of a shard stay as they are.
MANY = 8
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
    """Make one segment of these, without the rows of dead sources.

    Raises:
        StoreError: it cannot be written; all stays as it was.
    """
    from prune_mcp.search.merge import merge
    from prune_mcp.search.segment import Segment

    dead = {number for (number,) in catalog.rows(f"SELECT number FROM sources WHERE status = {DEAD}")}
    name = f"{catalog.version + 1}-merged"
    path = paths.segment(shard, name)
    opened = [Segment(paths.segment(shard, part.name)) for part in parts]
    try:
        merge(opened, path, lambda source: source not in dead)
        merged = Segment(path)
    except OSError as error:
        path.unlink(missing_ok=True)
        raise from_system(error, catalog.path) from error
    with catalog.change():
        catalog.drop_segments(shard, [part.name for part in parts])
        if merged.docs:
            catalog.put_segment(shard, name, path.stat().st_size, merged.docs)
    del opened
    for part in parts:
        remove(paths, shard, part.name)


def remove(paths: Paths, shard: str, name: str) -> None:
    """Take a segment's file away; where a reader's system forbids it, the next cleaning does."""
    try:
        paths.segment(shard, name).unlink(missing_ok=True)
    except OSError:
        return
