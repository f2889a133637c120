"""Where the history's files stand: packs and catalog in the data folder, what can be built anew in the cache."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from prune_mcp.search.catalog.schema import INDEX_VERSION
from prune_mcp.storage.home import Home


@dataclass(frozen=True, slots=True)
class Paths:
    """The files of one home's history. A shard is a month as `2026-01`; a pack's generation goes up when it is
    written anew."""

    home: Home

    @property
    def history(self) -> Path:
        """The folder of what cannot be built anew."""
        return self.home.data / "history"

    @property
    def catalog(self) -> Path:
        """The catalog's file."""
        return self.history / "catalog.sqlite"

    @property
    def forgotten(self) -> Path:
        """The file that tells what was forgotten."""
        return self.history / "forgotten"

    @property
    def damaged(self) -> Path:
        """The folder of the marks at frames that were found to be damaged."""
        return self.history / "damaged"

    @property
    def index(self) -> Path:
        """The folder of the segments' folders."""
        return self.home.cache / f"index-{INDEX_VERSION}"

    @property
    def searches(self) -> Path:
        """The folder of kept result lists."""
        return self.home.cache / "searches"

    def pack(self, shard: str, generation: int) -> Path:
        """The file of a shard's pack."""
        return self.history / f"{shard}.{generation}.pack"

    def damage(self, shard: str, start: int) -> Path:
        """The mark at a frame that was found to be damaged."""
        return self.damaged / f"{shard}-{start}"

    def segment(self, shard: str, name: str) -> Path:
        """The file of a segment."""
        return self.index / shard / f"{name}.seg"
