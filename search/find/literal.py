"""Looks for texts as they stand, punctuation and all, through everything that is kept, the newest months first."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence

from prune_mcp.search.find.masks import Masks
from prune_mcp.search.find.matches import Match, Spot
from prune_mcp.search.index import Index
from prune_mcp.search.packs.frame import FrameDamaged
from prune_mcp.search.rows import ECHO, IndexView
from prune_mcp.storage.codec import encode

MOST = 500
SECONDS = 1.0


class LiteralSearch:
    """`cut`: the month that the search ended in for lack of time, "" where it came to its end. `lost`: how many
    passages could not be read from their packs."""

    def __init__(self, index: Index, view: IndexView, masks: Masks) -> None:
        self.cut = ""
        self.lost = 0
        self._index = index
        self._view = view
        self._masks = masks

    def find(self, literals: Sequence[str]) -> list[Match]:
        """The passages with any of these texts, at most `MOST`; the newest are looked at first."""
        began = time.monotonic()
        wanted = [encode(literal) for literal in literals]
        found: list[Match] = []
        for shard in sorted(filter(self._masks.open_to, self._view.shards), reverse=True):
            starts = {start for segment in self._view.shards[shard] for start in segment.frames}
            for start in sorted(starts, reverse=True):
                if time.monotonic() - began > SECONDS or len(found) >= MOST:
                    self.cut = shard
                    return found
                found += self._in_frame(shard, start, wanted)
        return found

    def _in_frame(self, shard: str, start: int, wanted: Sequence[bytes]) -> Iterator[Match]:
        try:
            texts = self._index.texts_at(shard, start)
            if not any(literal in texts for literal in wanted):
                return
            frame = self._index.frame_at(shard, start)
        except FrameDamaged:
            self.lost += sum(at == start for segment in self._view.shards[shard] for at in segment.frames)
            return
        source = frame.origin.source
        if source not in self._masks.live:
            return
        for slot, kept in enumerate(frame.kept):
            text = encode(frame.text(slot))
            if self._masks.lets_pass(kept) and (score := sum(literal in text for literal in wanted)):
                yield Match(score, kept.time, bool(kept.flags & ECHO), Spot(shard, source, start, slot, kept.copy))
