"""The passages behind matches: from their packs, or as they were scanned."""

from __future__ import annotations

import sys
from collections.abc import Mapping

from prune_mcp.search.find.matches import Match, Spot
from prune_mcp.search.find.places import Text
from prune_mcp.search.find.scan import Scanned
from prune_mcp.search.index import Index
from prune_mcp.search.packs.frame import FrameDamaged, Origin
from prune_mcp.sessions.passage import Passage


class Passages:
    """The passages behind matches. `lost`: how many could not be read from their packs.

    `settled`: how many passages a source has before its end, which was read once more; what a pack has of that end
    no longer holds.
    """

    def __init__(self, index: Index) -> None:
        self.lost = 0
        self.settled: Mapping[int, int] = {}
        self._index = index
        self._texts: dict[int, Text] = {}

    def of(self, at: Spot | Scanned) -> tuple[Passage, Origin] | None:
        """A passage and where it comes from, None where it cannot be read."""
        if isinstance(at, Scanned):
            return at.passage, at.origin
        try:
            frame = self._index.frame(at.shard, at.row)
        except FrameDamaged:
            self.lost += 1
            return None
        if frame.first + at.slot >= self.settled.get(at.source, sys.maxsize):
            return None
        return frame.passage(at.slot), frame.origin

    def text(self, match: Match) -> Text | None:
        """The text of a match, None where it cannot be read; all copies have the same."""
        if (text := self._texts.get(match.copy)) is None and (text := self.glance(match)):
            self._texts[match.copy] = text
        return text

    def glance(self, match: Match) -> Text | None:
        """As `text`, but not held: for those of which most turn out not to match."""
        found = self.of(match.at)
        return Text(found[0].text) if found else None
