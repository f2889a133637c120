"""Search: from a question to hits, in pages that join."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from typing import Any

from prune_mcp.search.entries.session_names import SessionNames
from prune_mcp.search.find.coverage import coverage
from prune_mcp.search.find.first_page import FirstPage
from prune_mcp.search.find.hits import Hits
from prune_mcp.search.find.marking import Marking
from prune_mcp.search.find.matches import Match, Spot
from prune_mcp.search.find.matching import Matching
from prune_mcp.search.find.passages import Passages
from prune_mcp.search.find.query import Query, parse
from prune_mcp.search.find.question import MOST_HITS, Copy, Found, Hit, Question, QuestionWrong, SearchError
from prune_mcp.search.find.refine import LOOKED_AT, Refiner
from prune_mcp.search.find.results import Results, cursor_to
from prune_mcp.search.find.spelling import near
from prune_mcp.search.index import Index
from prune_mcp.search.indexing.pending import Pending, as_moved
from prune_mcp.search.rows import IndexView
from prune_mcp.search.segments.segment import SegmentDamaged
from prune_mcp.sessions.session_file import SessionFile
from prune_mcp.storage.errors import StoreError
from prune_mcp.storage.ways_out import in_words

ATTEMPTS = 3
# Hits that are made for later pages take their time.
MOST_MADE = 100


def find(index: Index, files: Callable[[], Sequence[SessionFile]], question: Question, budget: float) -> Found:
    """What past sessions hold of what is asked: a page of hits, and how to go on.

    `files`: finds the sessions on this machine. `budget`: seconds for finding them and for scanning what the index
    does not cover of them.

    Raises:
        QuestionWrong: the question is empty, or its cursor, role or limit is wrong.
        SearchError: what its cursor goes on with is gone, or the index is damaged again and again.
        StoreError: the index cannot be read.
    """
    if not 1 <= question.limit <= MOST_HITS:
        raise QuestionWrong(
            f"The limit {question.limit} is out of range: 1 to {MOST_HITS} hits fit into one answer."
        )
    for _ in range(ATTEMPTS):
        try:
            return _found(index, files, question, budget)
        except SegmentDamaged:
            _discard_damaged(index)
    raise SearchError("The index is damaged, again and again. Build it anew (prune-mcp index --rebuild).")


def _found(index: Index, files: Callable[[], Sequence[SessionFile]], question: Question, budget: float) -> Found:
    query = parse(question.text)
    began = time.monotonic()
    view = index.view()
    if question.cursor:
        return _Search(index, view, question, query).page()
    pending = index.pending(files(), view)
    view = as_moved(view, pending)
    loosened = query.loosened()
    budget -= time.monotonic() - began
    # Where a phrase is not to be found, half of the time is left to look for its words.
    search = _Search(index, view, question, query, pending)
    found = search.answer(budget / 2 if loosened else budget)
    if loosened and not found.hits:
        found = _Search(index, view, question, loosened, pending).answer(budget / 2, further=False)
        if found.hits:
            found.notes.insert(0, search.apart)
    if not found.hits and (words := search.near()):
        found.notes.insert(0, f"Like words that were asked for, and known: {', '.join(words)}.")
    return found


class _Search:
    """One question over one view."""

    def __init__(
        self, index: Index, view: IndexView, question: Question, query: Query, pending: Sequence[Pending] = ()
    ) -> None:
        self._index = index
        self._view = view
        self._question = question
        self._query = query
        self._pending = pending
        self._matching = Matching(index, view, question, query)
        self._matching.filters.among(self._sessions)
        self._passages = Passages(index)
        self._results = Results(index.paths.searches)
        # How many candidates were left for lack of time.
        self._left = 0

    def answer(self, budget: float, *, further: bool = True) -> Found:
        """The first page. `further`: whether what lies beyond the best candidates may be looked into."""
        self._matching.look(self._pending, budget)
        sources = self._view.sources
        self._passages.settled = {number: sources[number].settled for number in self._matching.scan.again}
        hits, refiner = self._hits(), self._refiner()
        page = FirstPage(self._matching, refiner, self._passages, hits.hit, self._question.limit, further=further)
        self._left = page.left
        rest = list(_kept(page.behind, hits))
        total = len(page.shown) + (0 if refiner.strict else len(rest))
        found = Found(page.shown, notes=self._notes(page), total=total)
        if rest:
            self._keep(found, rest)
        # More than what is kept for later pages matches, or may.
        more = page.more or len(rest) < len(page.behind)
        if more and len(found.hits) == self._question.limit and (found.cursor or not rest):
            found.notes.append(
                f"There are more than the {len(page.shown) + len(rest)} that can be paged through: narrow the "
                "question to see others."
            )
        live, scan = self._matching.masks.live, self._matching.scan
        found.covered = len(live | scan.void) + scan.new - sum(each.number is not None for each in scan.missed)
        unread = {frame.source for frame in self._matching.kept.left}
        found.covered, found.pending = found.covered - len(unread), len(scan.missed) + len(unread)
        return found

    def _sessions(self) -> Iterator[str]:
        """Every session there is."""
        yield from (one.session for one in self._view.sources.values())
        yield from (each.file.named or each.file.id for each in self._pending)

    def near(self) -> list[str]:
        """Words that are like those that were asked for, where none of those is known."""
        matching = self._matching
        known = any(each.docs for each in matching.sought) or self._query.literals
        return [] if known else near(self._query, matching.segments)

    @property
    def apart(self) -> str:
        """What is to be said where only the words of a phrase were found, not the phrase."""
        which = "None of the passages that were looked through" if self._partly else "No passage"
        has = "has the words in quotes next to each other; these have them apart."
        return f"{which} {has} {self._late()}" if self._left else f"{which} {has}"

    @property
    def _partly(self) -> bool:
        """Whether anything was not looked through."""
        matching = self._matching
        return bool(self._left or matching.scan.missed or matching.scan.unreadable or matching.kept.left)

    def _late(self) -> str:
        more = "1 more passage" if self._left == 1 else f"{self._left} more passages"
        return (
            f"There was no time to look through {more} with such words: narrow the question by a project, a "
            "session or a time."
        )

    def page(self) -> Found:
        """The page that the question's cursor is at."""
        name, total, kept, at, shown = self._results.load(self._question)
        hits, refiner = self._hits(), self._refiner()
        found = Found(total=total, first=shown + 1)
        while at < len(kept):
            if hit := self._restored(kept[at], hits, refiner):
                if len(found.hits) == self._question.limit:
                    break
                found.hits.append(hit)
            at += 1
        if at < len(kept):
            found.cursor = cursor_to(name, at, shown + len(found.hits))
        found.notes += self._lost()
        found.notes += self._view.damaged if self._view.catalog != "read" else ()
        return found

    def _hits(self) -> Hits:
        matching = self._matching
        marking = Marking(self._query, matching.scorer)
        sessions = [one.session for one in self._view.sources.values()]
        names = SessionNames([*sessions, *(each.file.named for each in self._pending)])
        return Hits(self._view, self._passages, matching.copies, marking, names, matching.passes())

    def _refiner(self) -> Refiner:
        matching = self._matching
        return Refiner(self._query, matching.sought, matching.without, matching.scorer, matching.newest)

    def _restored(self, kept: Any, hits: Hits, refiner: Refiner) -> Hit | None:
        if isinstance(kept, dict):
            copies, marks = [Copy(**copy) for copy in kept["copies"]], [tuple(mark) for mark in kept["marks"]]
            return Hit(**{**kept, "copies": copies, "marks": marks})
        score, time, last, *spot = kept
        match = Match(score, time, last, Spot(*spot))
        if refiner.strict and not ((text := self._passages.text(match)) and refiner.factor(text)):
            return None
        return hits.hit(match)

    def _keep(self, found: Found, kept: Sequence[Any]) -> None:
        try:
            name = self._results.keep(self._question, found.total, kept)
            found.cursor = cursor_to(name, 0, len(found.hits))
        except (OSError, StoreError) as error:
            why = in_words(error) if isinstance(error, OSError) else error
            found.notes.append(f"What comes after these hits could not be kept, so there is no cursor. {why}")

    def _notes(self, page: FirstPage) -> list[str]:
        matching = self._matching
        notes = [*self._query.notes, *matching.filters.notes(self._view, self._pending, matching.scan.tools)]
        notes += coverage(self._view, matching.scan, matching.kept)
        if matching.cut:
            notes.append(
                f"To look for punctuation alone takes long: what is older than {matching.cut} was not looked at."
            )
        if self._left:
            notes.append(self._late())
        elif page.cut:
            notes.append(f"Of the passages with all the words in quotes the best {LOOKED_AT} were looked at.")
        return [*notes, *self._lost()]

    def _lost(self) -> Iterator[str]:
        if lost := self._passages.lost + self._matching.lost:
            which = "1 passage is" if lost == 1 else f"{lost} passages are"
            why = self._index.closed_packs()[:1]
            yield " ".join([f"{which} left out: their packs could not be read.", *why])


def _kept(matches: Sequence[Match], hits: Hits) -> Iterator[Any]:
    """Matches as they are kept for later pages: by where they are, or, where that is not for good, as hits."""
    made = 0
    for match in matches:
        if isinstance(match.at, Spot):
            yield [round(match.score, 4), match.time, match.last, *match.at]
        elif made == MOST_MADE:
            return
        elif hit := hits.hit(match):
            made += 1
            yield asdict(hit)


def _discard_damaged(index: Index) -> None:
    """Take the segments out of use that cannot be read; the next indexing builds them anew."""
    for segments in index.view().shards.values():
        for segment in segments:
            try:
                segment.check()
            except SegmentDamaged:
                index.discard(segment.path)
