"""Masks: which documents of a segment may be found, a byte for each. None where all may."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from itertools import groupby
from typing import NamedTuple
from weakref import WeakKeyDictionary

from prune_mcp.search.find.filters import Filters
from prune_mcp.search.find.sought import Sought
from prune_mcp.search.packs.frame import Kept
from prune_mcp.search.rows import ABANDONED, IndexView
from prune_mcp.search.segments.segment import Segment
from prune_mcp.sessions.passage import SPEAKERS


class Runs(NamedTuple):
    """A segment's sources: (source, first document, end) for each run of the same; and all of them."""

    runs: Sequence[tuple[int, int, int]]
    sources: frozenset[int]


# Documents of one source stand together, so that few runs tell the source of each; told once for each segment.
_runs: WeakKeyDictionary[Segment, Runs] = WeakKeyDictionary()


def runs_of(segment: Segment) -> Runs:
    """The sources of a segment's documents."""
    known = _runs.get(segment)
    if known is None:
        runs, at = [], 0
        for source, run in groupby(segment.sources):
            end = at + len(list(run))
            runs.append((source, at, end))
            at = end
        known = _runs[segment] = Runs(runs, frozenset(source for source, _, _ in runs))
    return known


class Masks:
    """The masks of one question over one view.

    `void`: sources whose rows no longer hold, though the view has them. `branch`: without what a rewind left.
    """

    def __init__(
        self, view: IndexView, filters: Filters, void: Collection[int] = (), branch: bool = False
    ) -> None:
        self.live = filters.sources(view.sources).difference(void)
        self._filters = filters
        self._roles = _passing(SPEAKERS, filters.roles())
        self._tools = {number for number, name in enumerate(view.tools) if filters.tool(name)}
        self._every_tool = len(self._tools) == len(view.tools)
        self._branch = branch

    def open_to(self, shard: str) -> bool:
        """Whether a month holds any passage of the time that is asked for."""
        first, end = month(shard)
        return first <= (self._filters.until or first) and (self._filters.since or first) < end

    def of(self, shard: str, segment: Segment, without: Sequence[Sought] = ()) -> bytes | None:
        """The mask of a month's segment: 1 for a document that may be found, else 0; None where all may be.

        `without`: documents that hold one of these may not, but for phrases, which only a text tells.
        """
        parts = [self._sources(segment), self._times(shard, segment)]
        if 0 in self._roles[: len(SPEAKERS)]:
            parts.append(segment.roles.translate(self._roles))
        if not self._every_tool:
            parts.append(bytes([tool in self._tools for tool in segment.tools]))
        if self._branch:
            parts.append(segment.flags.translate(_UNFLAGGED))
        parts += [_lacking(segment, each) for each in without if not each.phrase]
        return both([part for part in parts if part is not None])

    def lets_pass(self, kept: Kept) -> bool:
        """Whether a passage of a live source, as its frame has it, may be found."""
        return self._filters.passage(kept.role, kept.tool, kept.time) and not (
            self._branch and kept.flags & ABANDONED
        )

    def _sources(self, segment: Segment) -> bytes | None:
        runs, sources = runs_of(segment)
        if sources <= self.live:
            return None
        mask = bytearray(segment.docs)
        for source, start, end in runs:
            if source in self.live:
                mask[start:end] = b"\x01" * (end - start)
        return bytes(mask)

    def _times(self, shard: str, segment: Segment) -> bytes | None:
        since, until = self._filters.since, self._filters.until or float("inf")
        first, end = month(shard)
        if since <= first and end <= until:
            return None
        # Of unknown time is what stands in a month for its file's sake: it passes with the month.
        return bytes([not time or since <= time <= until for time in segment.times])


def _lacking(segment: Segment, sought: Sought) -> bytes:
    mask = bytearray(b"\x01" * segment.docs)
    for doc in sought.postings(segment)[0]:
        mask[doc] = 0
    return bytes(mask)


def both(masks: Sequence[bytes]) -> bytes | None:
    """What all of these masks let pass."""
    if len(masks) < 2:
        return masks[0] if masks else None
    number = int.from_bytes(masks[0], "little")
    for mask in masks[1:]:
        number &= int.from_bytes(mask, "little")
    return number.to_bytes(len(masks[0]), "little")


@lru_cache(maxsize=256)
def month(shard: str) -> tuple[float, float]:
    """When a shard's month begins and ends, in seconds since the epoch; always, for one that is no month."""
    year, _, number = shard.partition("-")
    try:
        first = datetime(int(year), int(number), 1, tzinfo=UTC)
        after = datetime(int(year) + int(number) // 12, int(number) % 12 + 1, 1, tzinfo=UTC)
    except ValueError:
        return 0.0, float("inf")
    return first.timestamp(), after.timestamp()


def _passing(names: Sequence[str], asked: Collection[str]) -> bytes:
    return bytes(n < len(names) and names[n] in asked for n in range(256))


_UNFLAGGED = bytes(not flags & ABANDONED for flags in range(256))
