"""Matches: passages that fit a question, before they are shown, wherever they were found."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import NamedTuple

from prune_mcp.search.find.scan import Scanned
from prune_mcp.search.find.score import Candidate
from prune_mcp.search.rows import ECHO, Row


class Spot(NamedTuple):
    """Where an indexed passage is kept: what tells it apart for good, however segments are merged."""

    shard: str
    source: int
    frame: int
    slot: int
    copy: int

    @property
    def row(self) -> Row:
        """The passage's row, as far as finding its frame takes."""
        return Row(self.source, 0, 0, 0, 0, self.copy, self.frame, self.slot)


@dataclass(slots=True)
class Match:
    """A passage that fits. `last`: it ranks below all others, being an echo of the search itself.

    `score`: the higher the better. `time`: seconds since the epoch, 0 unknown.
    """

    score: float
    time: float
    last: bool
    at: Spot | Scanned

    @property
    def order(self) -> tuple[bool, float, float]:
        """What matches are sorted by, the best first."""
        return self.last, -self.score, -self.time

    @property
    def copy(self) -> int:
        """The 64 bits that all copies of the passage share."""
        return self.at.copy


def match_of(candidate: Candidate) -> Match:
    """An indexed document as a match."""
    segment, doc = candidate.segment, candidate.doc
    spot = Spot(
        candidate.shard, segment.sources[doc], segment.frames[doc], segment.slots[doc], segment.copies[doc]
    )
    return Match(candidate.score, candidate.time, bool(segment.flags[doc] & ECHO), spot)


def once(matches: Iterable[Match]) -> list[Match]:
    """The matches in order, of all copies of a text only the best."""
    best: dict[int, Match] = {}
    for match in sorted(matches, key=lambda each: each.order):
        best.setdefault(match.copy, match)
    return list(best.values())
