"""How well passages fit a question: BM25 over the words they hold, times how recent they are and who speaks."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence, Set
from functools import lru_cache, reduce
from heapq import nlargest
from math import log
from operator import and_, itemgetter
from typing import NamedTuple

from prune_mcp.search.find.masks import month
from prune_mcp.search.find.priors import DAY, PRIORS, day, recencies
from prune_mcp.search.find.sought import Sought
from prune_mcp.search.segments.lengths import LENGTHS, length_code
from prune_mcp.search.segments.postings import Frequencies
from prune_mcp.search.segments.segment import Segment
from prune_mcp.sessions.passage import SPEAKERS

K1, B = 1.2, 0.75
# A passage that holds all of several words fits so many times as well.
COMPLETE = 1.5

# A word in so many passages, and in this share of them, finds nothing by itself beside `ENOUGH` of rarer ones; one
# in a still larger share does not even tell those apart.
COMMON, COMMON_SHARE, IDLE_SHARE, ENOUGH = 1000, 0.08, 0.3, 50
# To stand in a passage more often than this adds nothing.
_OFTEN, _BYTE = 25, 255
_MANY = 300


class Open(NamedTuple):
    """A month's segment that is searched, with the mask of what may be found in it; `order` is its own."""

    order: int
    shard: str
    segment: Segment
    mask: bytes | None


class Candidate(NamedTuple):
    """A document that may be a hit; of two with the same score the newer one comes first."""

    score: float
    time: int
    order: int
    doc: int
    shard: str
    segment: Segment


class Scorer:
    """Scores passages by what is sought. `docs`, `length`: passages and terms of all that is searched. `now`: in
    seconds since the epoch. `telling`: what is sought but for words that too much holds, the rarest first.
    """

    def __init__(self, sought: Sequence[Sought], docs: int, length: float, now: float) -> None:
        self._recency = recencies(now)
        self._saturated = _saturation(max(1, round(length / max(docs, 1))))
        self._weights = {
            each: each.weight * log(1 + (docs - each.docs + 0.5) / (each.docs + 0.5)) for each in sought
        }
        self._order = sorted(sought, key=lambda each: -self._weights[each])
        self._common = _commonest(sought, docs, COMMON_SHARE)
        # In the order of what is newest they count all the same.
        idle = _commonest(sought, docs, IDLE_SHARE)
        self.telling: Sequence[Sought] = [each for each in self._order if each not in idle]
        self._numbers = {each.number for each in self.telling}

    def weight(self, sought: Sought) -> float:
        """How much one thing that is sought tells."""
        return self._weights[sought]

    def best(self, opened: Iterable[Open], most: int) -> list[Candidate]:
        """The best documents, at most `most`, in order; it is quickest with the newest months first."""
        top: list[Candidate] = []
        for each in opened:
            least = top[-1].score if len(top) == most else 0.0
            bound = self._recency[day(month(each.shard)[1])]
            scores = self._scores(each, least / bound / COMPLETE)
            top = nlargest(most, [*top, *self._candidates(each, scores, least, bound, most)])
        return top

    def newest(self, opened: Iterable[Open], most: int) -> list[Candidate]:
        """The newest documents that hold all that is sought, then the newest that hold some; at most `most`."""
        found: list[Candidate] = []
        for order, shard, segment, mask in opened:
            by_word: defaultdict[int, set[int]] = defaultdict(set)
            for sought in self._order:
                docs = sought.postings(segment)[0]
                by_word[sought.number].update(docs if mask is None else [doc for doc in docs if mask[doc]])
            whole = set.intersection(*by_word.values())
            times = segment.times
            found += [
                Candidate(float(doc in whole), times[doc], order, doc, shard, segment)
                for doc in set().union(*by_word.values())
            ]
        return nlargest(most, found)

    def best_of(self, opened: Open, docs: Iterable[int]) -> list[Candidate]:
        """These documents as `best` would tell them, in no order."""
        order, shard, segment, _ = opened
        scores = dict.fromkeys(docs, 0.0)
        holding: defaultdict[int, set[int]] = defaultdict(set)
        for sought in self.telling:
            for doc, fit in self._fits_of(sought, segment, scores).items():
                scores[doc] += fit
                holding[sought.number].add(doc)
        if len(self._numbers) > 1:
            for doc in set.intersection(*(holding[number] for number in self._numbers)):
                scores[doc] *= COMPLETE
        times, final = segment.times, self._final(segment, scores.items())
        return [Candidate(score, times[doc], order, doc, shard, segment) for score, doc in final]

    def newest_of(self, opened: Open, docs: Iterable[int]) -> list[Candidate]:
        """These documents as `newest` would tell them, in no order."""
        order, shard, segment, _ = opened
        asked = frozenset(docs)
        by_word: defaultdict[int, set[int]] = defaultdict(set)
        for sought in self._order:
            by_word[sought.number].update(asked.intersection(sought.postings(segment)[0]))
        whole = asked.intersection(*by_word.values())
        return [Candidate(float(doc in whole), segment.times[doc], order, doc, shard, segment) for doc in asked]

    def score(self, often: Iterable[tuple[Sought, int]], length: int, role: str, flags: int, time: float) -> float:
        """The score of a text that is not in the index, by how often it holds what is sought and its terms."""
        saturated, weights, telling = self._saturated, self._weights, self.telling
        code = length_code(length)
        fit = sum(
            weights[sought] * saturated[min(times, _BYTE)][code] for sought, times in often if sought in telling
        )
        if len(self._numbers) > 1 and self._numbers <= {sought.number for sought, _ in often}:
            fit *= COMPLETE
        return fit * PRIORS[SPEAKERS.index(role) << 4 | flags] * self._recency[day(time)]

    def _scores(self, opened: Open, least: float) -> dict[int, float]:
        """How well the words of a segment's documents fit; those that cannot reach `least` may be missing."""
        scores: dict[int, float] = {}
        holding: dict[int, Set[int]] = {}
        rest = sum(self._weights[each] for each in self.telling) * (K1 + 1)
        for sought in self.telling:
            if sought in self._common or rest < least:
                # A document with none of the words before can no longer get there.
                if least and len(scores) > _MANY:
                    scores = {doc: fit for doc, fit in scores.items() if fit + rest >= least}
                added = self._fits_of(sought, opened.segment, scores) if scores else {}
                merged, both = scores, set(added)
            else:
                added = self._fits(sought, opened.segment, opened.mask)
                merged, both = added | scores, scores.keys() & added.keys()
            for doc in both:
                merged[doc] = scores[doc] + added[doc]
            scores = merged
            holding[sought.number] = (
                holding[sought.number] | added.keys() if sought.number in holding else added.keys()
            )
            rest -= self._weights[sought] * (K1 + 1)
        if len(holding) > 1:
            for doc in reduce(and_, sorted(holding.values(), key=len)):
                scores[doc] *= COMPLETE
        return scores

    def _fits(self, sought: Sought, segment: Segment, mask: bytes | None) -> dict[int, float]:
        """How well one thing that is sought fits the documents that hold it."""
        ids, often = sought.postings(segment)
        weight, saturated, lengths = self._weights[sought], self._saturated, segment.lengths
        pairs = zip(ids, _capped(often), strict=True)
        if mask is None:
            return {doc: weight * saturated[times][lengths[doc]] for doc, times in pairs}
        return {doc: weight * saturated[times][lengths[doc]] for doc, times in pairs if mask[doc]}

    def _fits_of(self, sought: Sought, segment: Segment, docs: Mapping[int, float]) -> dict[int, float]:
        """As `_fits`, for these documents only."""
        ids, often = sought.postings_of(segment, docs)
        weight, saturated, lengths = self._weights[sought], self._saturated, segment.lengths
        held = dict(zip(ids, often, strict=True))
        both = held.keys() & docs.keys()
        return {doc: weight * saturated[min(held[doc], _BYTE)][lengths[doc]] for doc in both}

    def _candidates(
        self, opened: Open, scores: Mapping[int, float], least: float, bound: float, most: int
    ) -> list[Candidate]:
        """The documents whose score reaches `least`; no score is higher than its fit times `bound`."""
        order, shard, segment, _ = opened
        if len(scores) > 4 * most:
            # The scores of the best fits show what it takes to be among the best, before all are worked out.
            fitting = nlargest(2 * most, scores.items(), key=itemgetter(1))
            least = max(least, sorted(self._final(segment, fitting))[-most][0])
            scores = {doc: fit for doc, fit in scores.items() if fit * bound >= least}
        times = segment.times
        final = self._final(segment, scores.items())
        return [Candidate(score, times[doc], order, doc, shard, segment) for score, doc in final if score >= least]

    def _final(self, segment: Segment, scores: Iterable[tuple[int, float]]) -> list[tuple[float, int]]:
        """The scores of documents by how well their words fit."""
        roles, flags, times, recency = segment.roles, segment.flags, segment.times, self._recency
        return [
            (fit * PRIORS[roles[doc] << 4 | flags[doc]] * recency[times[doc] // DAY], doc) for doc, fit in scores
        ]


def _capped(often: Frequencies) -> Frequencies:
    """How often, where no more than a byte holds."""
    if isinstance(often, bytes) or max(often, default=0) <= _BYTE:
        return often
    return [min(times, _BYTE) for times in often]


def _commonest(sought: Sequence[Sought], docs: int, share: float) -> set[Sought]:
    """The words in at least this share of the passages, if there are rarer ones that find enough."""
    least = max(COMMON, docs * share)
    rarer = sum(each.docs for each in sought if each.docs <= least)
    return {each for each in sought if each.docs > least} if rarer >= ENOUGH else set()


@lru_cache(maxsize=8)
def _saturation(average: int) -> Sequence[Sequence[float]]:
    """What a word adds by how often it stands in a passage, and by the code of the passage's length."""
    norms = [K1 * (1 - B + B * length / average) for length in LENGTHS]
    rows = [[often * (K1 + 1) / (often + norm) if often else 0.0 for norm in norms] for often in range(_OFTEN)]
    return rows + rows[-1:] * (_BYTE + 1 - _OFTEN)
