"""The first page of an answer: the best matches, and what lies beyond them where none of those will do."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import chain, islice

from prune_mcp.search.find.further import BRIEFLY
from prune_mcp.search.find.matches import Match, once
from prune_mcp.search.find.matching import Matching
from prune_mcp.search.find.passages import Passages
from prune_mcp.search.find.places import Text
from prune_mcp.search.find.question import Hit
from prune_mcp.search.find.refine import Refined, Refiner
from prune_mcp.search.find.variety import varied
from prune_mcp.search.find.whole import Whole

# Seconds for what lies beyond the best matches: where they hold nothing of what is asked, and where they hold the
# one name that is asked for only in parts.
SECONDS, FOR_A_NAME = 1.0, 0.5


class FirstPage:
    """Up to `limit` hits. `shown`: the hits; `behind`: the matches that come after them; `more`: whether there may
    be others. `cut`: whether the best matches were not all looked into. `left`: how many passages beyond them
    there was no time to look into; without `further` none is looked into.
    """

    def __init__(
        self,
        matching: Matching,
        refiner: Refiner,
        passages: Passages,
        hit_of: Callable[[Match], Hit | None],
        limit: int,
        *,
        further: bool = True,
    ) -> None:
        self.left = 0
        self._matching = matching
        self._refiner = refiner
        self._passages = passages
        self._hit_of = _once_each(hit_of)
        self._limit = limit
        self._likely = matching.likely(refiner.wholes)
        self._refined = Refined(matching.matches(), refiner, self._text)
        best: list[Match] = []
        self.shown, later = self._varied(_noted(self._refined, best))
        if refiner.strict:
            # So that a cursor leads to hits.
            later += islice(_noted(self._refined, best), 1)
        self.behind = [*later, *self._refined.rest()]
        self.more = matching.more
        if further and (found := self._further()):
            self._take(found, best)
        self.cut = self._refined.cut

    def _text(self, match: Match) -> Text | None:
        """The text of a match, None where that is sure not to match, or cannot be read."""
        sure = self._refiner.only_phrases and not self._likely.match(match)
        return None if sure else self._passages.text(match)

    def _varied(self, matches: Iterable[Match]) -> tuple[list[Hit], list[Match]]:
        return varied(matches, self._hit_of, self._limit, not self._matching.newest)

    def _take(self, found: Sequence[Match], best: Sequence[Match]) -> None:
        """Fill the page anew, with what was found beyond the best."""
        copies = {match.copy for match in found}
        if self._refiner.only_name:
            # Nothing else holds it in one piece.
            merged = iter([*found, *best])
        else:
            merged = iter(sorted([*best, *found], key=lambda match: match.order))
        others = (match for match in self._refined if match.copy not in copies)
        self.shown, later = self._varied(chain(merged, others))
        self.behind = [*later, *merged, *(match for match in self._refined.rest() if match.copy not in copies)]

    def _further(self) -> list[Match]:
        """What the best matches leave out, in order: where they do not fill the page, and where none of them holds
        in one piece what is to stand so."""
        refiner = self._refiner
        short = refiner.strict and len(self.shown) < self._limit
        wholes = refiner.wholes if short else refiner.unmet
        words = refiner.excluding if short else []
        if not wholes and not words:
            return []
        until = time.monotonic() + self._seconds()

        def holds(text: Text | None) -> bool:
            return text is not None and refiner.factor(text) > 0 and (bool(words) or _any_in(wholes, text))

        seen = self._refined.seen
        further = self._matching.further(words, wholes, seen, self._likely)
        glance, match_at = self._passages.glance, self._matching.match_at
        found = further.find(lambda opened, doc: holds(glance(match_at(opened, doc))), self._limit, until)
        self.left = further.left if further.late else 0
        self.more = further.left > 0 if short else self.more
        scanned = [each for each in self._matching.scanned() if each.copy not in seen and holds(glance(each))]
        return self._scored([*self._matching.matches_at(found), *scanned])

    def _seconds(self) -> float:
        if not self.shown:
            return SECONDS
        return FOR_A_NAME if self._refiner.only_name else BRIEFLY

    def _scored(self, matches: Iterable[Match]) -> list[Match]:
        """Matches with what their texts tell of them, in order and each text once."""
        scored = []
        for match in once(matches):
            if text := self._passages.text(match):
                match.score *= self._refiner.factor(text)
                scored.append(match)
        return sorted(scored, key=lambda match: match.order)


def _any_in(wholes: Sequence[Whole], text: Text) -> bool:
    return any(whole.stands_in(text) for whole in wholes)


def _noted(matches: Iterable[Match], into: list[Match]) -> Iterator[Match]:
    """The matches, each put down as it goes by."""
    for match in matches:
        into.append(match)
        yield match


def _once_each(hit_of: Callable[[Match], Hit | None]) -> Callable[[Match], Hit | None]:
    """The same, but that a match's hit is made once."""
    made: dict[int, Hit | None] = {}

    def hit(match: Match) -> Hit | None:
        if match.copy not in made:
            made[match.copy] = hit_of(match)
        return made[match.copy]

    return hit
