"""Hits: matches as they are shown, with a snippet, where they stand, and where else the same text does."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

from prune_mcp.search.entries.entry_ref import EntryRef, short
from prune_mcp.search.entries.session_names import SessionNames
from prune_mcp.search.find.copies import Copies, Place
from prune_mcp.search.find.filters import project_name
from prune_mcp.search.find.marking import Marking
from prune_mcp.search.find.matches import Match, Spot
from prune_mcp.search.find.passages import Passages
from prune_mcp.search.find.question import Copy, Flag, Hit
from prune_mcp.search.find.scan import Scanned
from prune_mcp.search.packs.frame import Origin, flags_of
from prune_mcp.search.rows import ABANDONED, ECHO, ERROR, SIDE, IndexView, SourceRecord

COPIES_NAMED = 5


class Hits:
    """Makes hits of matches. `passes`: whether the filters let a place pass, so that a text is said to be from
    there; None: a text is from where it was found."""

    def __init__(
        self,
        view: IndexView,
        passages: Passages,
        copies: Copies,
        marking: Marking,
        names: SessionNames,
        passes: Callable[[Place], bool] | None,
    ) -> None:
        self._view = view
        self._passages = passages
        self._copies = copies
        self._marking = marking
        self._names = names
        self._passes = passes

    def hit(self, match: Match) -> Hit | None:
        """The hit for a match, None where its passage cannot be read."""
        places = self._copies.of(match.copy)
        at = self._original(match, places)
        found, text = self._passages.of(at), self._passages.text(match)
        if not found or text is None:
            return None
        passage, source = found[0], self._source(at, found[1])
        copies, count = self._others(places, passage.entry, source.session) if len(places) > 1 else ([], 0)
        shown = self._marking.snippet(text)
        return Hit(
            session=source.session,
            entry=passage.entry,
            ref=self._ref(passage.entry, source.session),
            agent=source.host,
            project=project_name(source.cwd, source.project),
            cwd=source.cwd,
            title=source.title,
            time=passage.time,
            role=passage.role,
            tool=passage.tool,
            snippet=shown.text,
            marks=shown.marks,
            flags=list(flags_shown(flags_of(passage), source)),
            copies=copies,
            copy_count=count,
            score=round(match.score, 4),
        )

    def _original(self, match: Match, places: Sequence[Place]) -> Spot | Scanned:
        if passes := self._passes:
            # What the index has of a passage that was read once more is no place of it any more.
            told = (place.at for place in places if passes(place) and self._passages.of(place.at))
            return next(told, match.at)
        return match.at

    def _source(self, at: Spot | Scanned, origin: Origin) -> SourceRecord | Origin:
        """What is known of a passage's source by now; what its frame says, where it is no source any more."""
        return self._view.sources.get(at.source, origin) if isinstance(at, Spot) else origin

    def _others(self, places: Sequence[Place], entry: str, session: str) -> tuple[list[Copy], int]:
        """The first few other places of a text, those in other sessions first, and how many there are."""
        copies: list[Copy] = []
        seen = {(session, entry)}
        count = 0
        for place in sorted(places, key=lambda each: each.session == session):
            if len(copies) < COPIES_NAMED:
                found = self._passages.of(place.at)
                if not found or (place.session, found[0].entry) in seen:
                    continue
                seen.add((place.session, found[0].entry))
                copies.append(Copy(place.session, self._ref(found[0].entry, place.session)))
            count += 1
        return copies, count

    def _ref(self, entry: str, session: str) -> str:
        return str(EntryRef(short(entry), self._names.short(session)))


def flags_shown(flags: int, source: SourceRecord | Origin) -> Iterator[Flag]:
    """What is to be said of a passage with these flags in such a source."""
    if flags & ABANDONED:
        yield "abandoned"
    if flags & SIDE or "/" in source.session:
        yield "subagent"
    if isinstance(source, SourceRecord) and (source.gone or not Path(source.path).exists()):
        yield "gone"
    if flags & ECHO:
        yield "echo"
    if flags & ERROR:
        yield "error"
