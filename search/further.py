"""What lies beyond the best candidates: looked through while time allows, where those do not fill an answer."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence

from prune_mcp.search.matches import Match, Spot
from prune_mcp.search.places import Text
from prune_mcp.search.refine import Refiner

# How long it may take: where the best candidates held nothing of what is asked, and where they held something.
SECONDS, BRIEFLY = 0.03, 0.02
# So many more than a page needs are looked for; so many candidates are taken at a time, frame by frame.
REST, AT_A_TIME = 50, 1000


class Further:
    """Looks through candidates, which come in order. `left`: how many were not looked at, be it
    for lack of time (`late`) or that there was no need."""

    def __init__(
        self, matches: Sequence[Match], refiner: Refiner, text_of: Callable[[Match], Text | None]
    ) -> None:
        self.left = len(matches)
        self.late = False
        self._matches = matches
        self._refiner = refiner
        self._text_of = text_of

    def find(self, enough: int, least: float = 0.0, brief: bool = False) -> list[Match]:
        """Those whose text holds what is asked (by a factor above `least`), in order: `enough` and some more.

        `brief`: something was found before, so that an answer need not wait long for more.
        """
        found: list[Match] = []
        until = time.monotonic() + (BRIEFLY if brief else SECONDS)
        for start in range(0, len(self._matches), AT_A_TIME):
            for match in _by_frame(self._matches[start : start + AT_A_TIME]):
                if time.monotonic() > until:
                    self.late = True
                    return _ordered(found)
                self.left -= 1
                text = self._text_of(match)
                factor = self._refiner.factor(text) if text is not None else 0.0
                if factor > least:
                    match.score *= factor
                    found.append(match)
            if len(found) >= enough + REST:
                break
        return _ordered(found)


def _by_frame(matches: Sequence[Match]) -> Iterator[Match]:
    """The same matches, so that each frame is unpacked once; the frames of the first ones come first."""
    frames: defaultdict[object, list[Match]] = defaultdict(list)
    for match in matches:
        at = match.at
        frames[(at.shard, at.frame) if isinstance(at, Spot) else None].append(match)
    for each in frames.values():
        yield from each


def _ordered(matches: list[Match]) -> list[Match]:
    return sorted(matches, key=lambda each: each.order)
