"""Which frames are worth looking into for what is to stand in one piece."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from pathlib import Path
from weakref import WeakKeyDictionary

from prune_mcp.search.find.frame_texts import FrameTexts
from prune_mcp.search.find.matches import Match, Spot
from prune_mcp.search.find.whole import Whole
from prune_mcp.search.index import Index
from prune_mcp.search.packs.frame import FrameDamaged

# By their places, which frames are plain: to find that out takes as long as looking for a word in one, and it
# stays true from search to search.
_PLAIN: WeakKeyDictionary[Index, dict[tuple[Path, int], bool]] = WeakKeyDictionary()


class Likely:
    """Tells by the bytes of a frame, which is unpacked once and not taken apart."""

    def __init__(self, index: Index, wholes: Sequence[Whole]) -> None:
        self._index = index
        self._wholes = wholes
        self._plain = _PLAIN.setdefault(index, {})
        self._known: dict[tuple[str, int], Collection[Whole]] = {}

    def match(self, match: Match) -> bool:
        """Whether a match may hold any of it."""
        return not isinstance(match.at, Spot) or bool(self.frame(match.at.shard, match.at.frame))

    def frame(self, shard: str, start: int) -> Collection[Whole]:
        """What of it the texts of a frame may hold."""
        known = self._known.get((shard, start))
        if known is None:
            known = self._known[shard, start] = self._look(shard, start)
        return known

    def _look(self, shard: str, start: int) -> Collection[Whole]:
        place = self._index.place(shard, start)
        try:
            texts = FrameTexts(self._index.texts_at(shard, start), self._plain.get(place))
        except FrameDamaged:
            # Whoever reads a passage of it counts that as lost.
            return self._wholes
        likely = [whole for whole in self._wholes if whole.may_stand_in(texts)]
        if texts.known_plain is not None:
            self._plain[place] = texts.known_plain
        return likely
