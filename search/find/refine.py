"""What only a passage's text tells: whether the words of a phrase or of a path stand together in it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from heapq import heapify, heappop, heappush

from prune_mcp.search.find.matches import Match
from prune_mcp.search.find.places import Text
from prune_mcp.search.find.query import Clause, Query
from prune_mcp.search.find.score import Scorer
from prune_mcp.search.find.sought import Sought
from prune_mcp.search.find.spelling import neighbours_in, pieces
from prune_mcp.search.find.whole import Whole, name, phrase

# What it adds that the words of a name stand together, and that it is written just as asked for.
TOGETHER, LITERALLY = 1.5, 0.7
# So many texts are looked at for one answer: to order them, and to find phrases.
ORDERED, LOOKED_AT = 100, 400

_Entry = tuple[tuple[bool, float, float], int, Match, bool]


class Refiner:
    """Looks into texts for what the index cannot tell. `strict`: whether that may rule a text out. `only_phrases`,
    `only_name`: whether nothing is looked for but phrases, or one path or other name."""

    def __init__(
        self, query: Query, sought: Sequence[Sought], without: Sequence[Sought], scorer: Scorer, newest: bool
    ) -> None:
        self._phrases = [phrase(each) for each in sought if each.phrase]
        self._words = [each for each in sought if not each.phrase]
        self._without = [each for each in without if each.phrase]
        self._scorer = scorer
        shares = _shares(sought, scorer)
        names = [] if newest else [(n, clause) for n, clause in enumerate(query.clauses) if _is_name(clause)]
        self._names = [
            (name(clause, n, pieces(clause)), clause.literal, shares.get(n, 0.0)) for n, clause in names
        ]
        self._met: set[Whole] = set()
        self.only_phrases = not self._words
        self.only_name = len(names) == len(query.clauses) == 1
        self.strict = bool(self._phrases or self._without)

    @property
    def needed(self) -> bool:
        """Whether texts have anything to tell."""
        return self.strict or bool(self._names)

    @property
    def most(self) -> float:
        """The highest factor there is."""
        return 1 + (TOGETHER + LITERALLY) * sum(share for _, _, share in self._names)

    @property
    def wholes(self) -> Sequence[Whole]:
        """What is to stand in one piece."""
        return [*self._phrases, *(whole for whole, _, _ in self._names)]

    @property
    def unmet(self) -> Sequence[Whole]:
        """What of that stood so in none of the texts so far."""
        return [whole for whole in self.wholes if whole not in self._met]

    @property
    def excluding(self) -> Sequence[Sought]:
        """The words that passages match by, where a text may yet rule them out; none where it may not."""
        return self._words if self._without else []

    def factor(self, text: Text) -> float:
        """What a match's score is to be multiplied with, now that its text is at hand; 0.0 for no match."""
        if any(each.places(text, 1) for each in self._without):
            return 0.0
        kept = self._kept(text) if self._phrases else 1.0
        return kept * (1 + self._bonus(text)) if self._names else kept

    def _kept(self, text: Text) -> float:
        """The share of the score that is not owed to phrases whose words stand apart."""
        whole = [each for each in self._phrases if each.stands_in(text)]
        self._met.update(whole)
        held = [*(each.sought for each in whole), *(each for each in self._words if each.places(text, 1))]
        others = (each.sought for each in self._phrases if each not in whole) if held else ()
        apart = [each for each in others if _holds_words(each, text)]
        told = sum(map(self._scorer.weight, held))
        return told / (told + sum(map(self._scorer.weight, apart))) if held else 0.0

    def _bonus(self, text: Text) -> float:
        found = 0.0
        for whole, literal, share in self._names:
            if whole.stands_in(text):
                self._met.add(whole)
                found += TOGETHER * share
            if literal and text.literally(literal):
                found += LITERALLY * share
        return found


class Refined:
    """Matches in their final order, without those whose text turns out not to match.

    Texts are looked at only as far as matches are asked for; a match without a text is left out. `seen`: the
    copies looked at. `cut`: they were so many that the iteration ended before all were.
    """

    def __init__(
        self, matches: Sequence[Match], refiner: Refiner, text_of: Callable[[Match], Text | None]
    ) -> None:
        self.cut = False
        self.seen: set[int] = set()
        self._refiner = refiner
        self._text_of = text_of
        self._sure = not refiner.needed
        self._heap = [self._entry(n, match, refiner.most, self._sure) for n, match in enumerate(matches)]
        heapify(self._heap)

    def __iter__(self) -> Iterator[Match]:
        looked_at = 0
        while self._heap:
            _, n, match, sure = heappop(self._heap)
            if sure:
                yield match
            elif looked_at < (LOOKED_AT if self._refiner.strict else ORDERED):
                looked_at += 1
                if self._holds(match):
                    heappush(self._heap, self._entry(n, match, 1.0, True))
            elif self._refiner.strict:
                heappush(self._heap, self._entry(n, match, 1.0, False))
                self.cut = True
                return
            else:
                heappush(self._heap, self._entry(n, match, 1.0, True))

    def rest(self) -> list[Match]:
        """What the iteration did not come to; a phrase's words may still turn out to stand apart in it."""
        return [match for _, _, match, _ in sorted(self._heap, key=lambda each: each[:2])]

    def _holds(self, match: Match) -> bool:
        self.seen.add(match.copy)
        text = self._text_of(match)
        factor = self._refiner.factor(text) if text is not None else 0.0
        match.score *= factor
        return factor > 0

    @staticmethod
    def _entry(n: int, match: Match, most: float, sure: bool) -> _Entry:
        """What is as good as this at most; what is sure comes before what may be as good."""
        return (match.last, -match.score * most, -match.time), n, match, sure


def _shares(sought: Sequence[Sought], scorer: Scorer) -> dict[int, float]:
    """How much of all that is looked for each clause of a query is."""
    told: dict[int, float] = defaultdict(float)
    for each in {one.number: one for one in sorted(sought, key=scorer.weight)}.values():
        told[each.clause] += scorer.weight(each)
    return {clause: weight / sum(told.values()) for clause, weight in told.items()}


def _is_name(clause: Clause) -> bool:
    if clause.kind == "phrase":
        return False
    return bool(clause.literal) or len(pieces(clause)) > 1 or any(map(neighbours_in, clause.written))


def _holds_words(phrase: Sought, text: Text) -> bool:
    return all(text.word(word, most=1) for word in phrase.words)
