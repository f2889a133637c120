"""One slice of indexing after the other: the one in the making, and what is to be done when it is full."""

from __future__ import annotations

from pathlib import Path

from prune_mcp.search.catalog.writer import CatalogWriter
from prune_mcp.search.indexing.merging import merge_small
from prune_mcp.search.indexing.slice import Slice
from prune_mcp.search.paths import Paths

# A slice is full with so many bytes of text, or so many postings (which take about 25 bytes of memory each).
SLICE_BYTES = 16 << 20
SLICE_POSTINGS = 3_000_000


class Slices:
    """The slices of one indexing. `limit`: bytes of text in each; `passages`, `count`: what was committed."""

    def __init__(self, catalog: CatalogWriter, paths: Paths, limit: int = SLICE_BYTES) -> None:
        self.limit = limit
        self.passages = self.count = 0
        self._catalog = catalog
        self._paths = paths
        self._generations = {shard: pack.generation for shard, pack in catalog.packs().items()}
        self.current = Slice(catalog, paths)

    @property
    def full(self) -> bool:
        """Whether the slice in the making is to be committed."""
        return self.current.bytes >= self.limit or self.current.postings >= SLICE_POSTINGS

    def pack(self, shard: str) -> Path:
        """The file of a shard's pack."""
        return self._paths.pack(shard, self._generations.get(shard, 1))

    def commit(self) -> None:
        """Commit the slice in the making, and begin the next.

        Raises:
            StoreError: it could not be written; nothing of it is kept.
        """
        done = self.current
        if not done.empty:
            done.commit()
            self.count += 1
            self.passages += done.passages
            merge_small(self._catalog, self._paths, done.shards)
        self.current = Slice(self._catalog, self._paths)

    def drop(self) -> None:
        """Give up the slice in the making."""
        self.current.drop()
