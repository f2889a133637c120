"""From a query to matches: over the index, and over what it does not cover yet."""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from functools import cached_property

from prune_mcp.search.find.copies import Copies, Place
from prune_mcp.search.find.filters import Filters
from prune_mcp.search.find.further import Further
from prune_mcp.search.find.kept_scan import KeptScan
from prune_mcp.search.find.likely import Likely
from prune_mcp.search.find.literal import LiteralSearch
from prune_mcp.search.find.masks import Masks
from prune_mcp.search.find.matches import Match, Spot, match_of, once
from prune_mcp.search.find.own import own_exchange
from prune_mcp.search.find.query import Query
from prune_mcp.search.find.question import Question
from prune_mcp.search.find.scan import Scan, Scanned
from prune_mcp.search.find.scanner import Scanner
from prune_mcp.search.find.score import Candidate, Open, Scorer
from prune_mcp.search.find.sought import Sought
from prune_mcp.search.find.spelling import excluded, spelled
from prune_mcp.search.find.whole import Whole
from prune_mcp.search.index import Index
from prune_mcp.search.indexing.pending import Pending
from prune_mcp.search.packs.frame import flags_of
from prune_mcp.search.rows import ECHO, IndexView

# So many matches are found for all the pages of one answer.
MOST = 300


class Matching:
    """One query over one view of the index. `sought`: what it looks for in `segments`; `scan`: what the scan found
    and missed, and `kept` what it missed of texts whose words the index lacks; `cut`: the month in which a search
    for punctuation ended for lack of time; `more`: whether there may be matches that are left out, being more than
    `MOST`.
    """

    def __init__(self, index: Index, view: IndexView, question: Question, query: Query) -> None:
        self.scan = Scan()
        self.kept = KeptScan()
        self.cut = ""
        self._unread = 0
        self.more = False
        self._index = index
        self._view = view
        self._question = question
        self._query = query
        self.segments = [segment for segments in view.shards.values() for segment in segments]
        self.filters = Filters(question)
        self.sought: Sequence[Sought] = [] if query.literals else spelled(query, self.segments)
        self.without = excluded(query, self.segments)

    @property
    def newest(self) -> bool:
        """Whether the newest come first, whatever their score."""
        return self._question.newest or bool(self._question.session)

    @cached_property
    def masks(self) -> Masks:
        """What of the index may be found; to be asked for after the scan."""
        return Masks(self._view, self.filters, self.scan.void, branch=bool(self._question.session))

    @cached_property
    def scorer(self) -> Scorer:
        """Scores by the words' numbers over all that was searched; to be asked for after the scan."""
        for found in self.scan.found:
            for sought, _ in found.often:
                sought.docs += 1
        docs = sum(segment.docs for segment in self.segments)
        length = sum(segment.total_length for segment in self.segments)
        return Scorer(self.sought, docs + self.scan.passages, length + self.scan.length, self._question.now)

    @cached_property
    def copies(self) -> Copies:
        """The places of each text; to be asked for after the scan."""
        return Copies(self._view, self.scan.void, self.scan.found)

    def look(self, pending: Sequence[Pending], seconds: float) -> None:
        """Scan what the index does not cover, as far as the filters let it pass."""
        asked = self._question
        began = time.monotonic()
        scanner = Scanner(
            self.sought, self.without, self._query.literals, self.filters, bool(asked.session), asked.own_session
        )
        self.scan = scanner.scan([each for each in pending if self.filters.file(each.file)], seconds)
        self.kept.read(self._index, self._view, self.masks, scanner, self.scan, began + seconds)

    def matches(self) -> list[Match]:
        """All matches, at most about `MOST`, the best first and each text once."""
        found = self._found(MOST + 1)
        self.more = len(found) > MOST
        return once(found)[:MOST]

    def likely(self, wholes: Sequence[Whole]) -> Likely:
        """What tells which frames may hold these."""
        return Likely(self._index, wholes)

    def further(
        self, sought: Sequence[Sought], wholes: Sequence[Whole], seen: Collection[int], likely: Likely
    ) -> Further:
        """What looks through all that the index has of these, but for the copies that were seen."""
        return Further(self._opened, sought, wholes, seen, likely)

    def match_at(self, opened: Open, doc: int) -> Match:
        """A document as a match whose score is not known yet."""
        return match_of(Candidate(0.0, opened.segment.times[doc], opened.order, doc, opened.shard, opened.segment))

    def matches_at(self, found: Iterable[tuple[Open, int]]) -> list[Match]:
        """Documents as matches, the best first and each text once."""
        by_segment: defaultdict[Open, list[int]] = defaultdict(list)
        for opened, doc in found:
            by_segment[opened].append(doc)
        told = self.scorer.newest_of if self.newest else self.scorer.best_of
        candidates = (candidate for opened, docs in by_segment.items() for candidate in told(opened, docs))
        return once(self._told(filter(self._holds, map(match_of, candidates))))

    def scanned(self) -> list[Match]:
        """What the scan found."""
        return self._told(map(self._scanned, self.scan.found))

    def _found(self, most: int) -> list[Match]:
        """The matches, of those in the index at most so many."""
        return self._told([*filter(self._holds, self._indexed(most)), *map(self._scanned, self.scan.found)])

    def _told(self, found: Iterable[Match]) -> list[Match]:
        """Matches without what asks, or with that behind all others."""
        found = list(found)
        own = own_exchange(self._question.own_session, self._view, self.scan)
        if self._question.session:
            found = [match for match in found if not own.asks(match)]
        else:
            for match in found:
                match.last = match.last or own.holds(match)
        return found

    def _holds(self, match: Match) -> bool:
        """Whether a match in the index is not one that the scan found as well, where it was read once more."""
        return not (
            isinstance(match.at, Spot) and match.at.source in self.scan.again and self.copies.scanned(match.copy)
        )

    @property
    def lost(self) -> int:
        """How many passages could not be read from their packs to see whether they match."""
        return self._unread + self.kept.lost

    def passes(self) -> Callable[[Place], bool] | None:
        """Whether a text may be said to be from a place; None where it is from where it was found."""
        return None if self.newest else self._passes

    def _passes(self, place: Place) -> bool:
        if isinstance(place.at, Spot) and place.at.source not in self.masks.live:
            return False
        since, until = self.filters.since, self.filters.until
        return not place.time or (since <= place.time and (not until or place.time <= until))

    def _indexed(self, most: int) -> list[Match]:
        if self._query.literals:
            literal = LiteralSearch(self._index, self._view, self.masks)
            found = literal.find(self._query.literals)
            self.cut, self._unread = literal.cut, literal.lost
            return found
        best = self.scorer.newest if self.newest else self.scorer.best
        return [match_of(candidate) for candidate in best(self._opened, most)]

    @cached_property
    def _opened(self) -> Sequence[Open]:
        return list(self._open())

    def _open(self) -> Iterator[Open]:
        """The segments in which anything may be found, the newest months first."""
        order = 0
        for shard in sorted(filter(self.masks.open_to, self._view.shards), reverse=True):
            for segment in self._view.shards[shard]:
                mask = self.masks.of(shard, segment, self.without)
                if mask is None or 1 in mask:
                    order += 1
                    yield Open(order, shard, segment, mask)

    def _scanned(self, found: Scanned) -> Match:
        passage, flags = found.passage, flags_of(found.passage)
        if self._query.literals:
            score = float(sum(literal in passage.text for literal in self._query.literals))
        elif self.newest:
            numbers = {sought.number for sought in self.sought}
            score = float(len({sought.number for sought, _ in found.often}) == len(numbers))
        else:
            score = self.scorer.score(found.often, found.length, passage.role, flags, passage.time)
        return Match(score, passage.time, bool(flags & ECHO), found)
