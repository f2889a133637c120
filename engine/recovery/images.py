"""The images of recovered outputs: as many as one answer may carry, the rest by name."""

from __future__ import annotations

import json

from prune_mcp.engine.answers import Recovered
from prune_mcp.engine.catalog import Catalog
from prune_mcp.engine.recovery.originals import Original
from prune_mcp.engine.recovery.refs import Ref
from prune_mcp.storage.codec import decode
from prune_mcp.storage.errors import BodyDamaged

IMAGES = 8
# Characters of base64 in one answer.
DATA = 8_000_000


class Album:
    """The images of one answer, within its bounds; the first comes whatever its size."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._count = 0
        self._data = 0

    def add(self, item: Recovered, original: Original) -> list[str]:
        """Give an item its images; returns notes on those that are left out."""
        notes: list[str] = []
        left: list[str] = []
        for name in original.images:
            self._add(item, original, name, left, notes)
        if left:
            notes.append(f"images not shown here: {', '.join(left)}")
        return notes

    def _add(self, item: Recovered, original: Original, name: str, left: list[str], notes: list[str]) -> None:
        target = original.target
        ref = str(Ref("t", target.number, target.number, name))
        if self._count >= IMAGES:
            left.append(ref)
            return
        try:
            kept = json.loads(
                decode(self._catalog.store.body(self._catalog.facets(target.session)[(target.number, name)]))
            )
        except BodyDamaged as error:
            notes.append(f"{ref} cannot be had: {error}")
            return
        if self._count and self._data + len(kept["data"]) > DATA:
            left.append(f"{ref} ({len(kept['data'])} characters of base64)")
            return
        self._count += 1
        self._data += len(kept["data"])
        item.images.append((kept["media_type"], kept["data"]))
