"""Copies: the same text in several places, as resumed and forked sessions have it. One is the original."""

from __future__ import annotations

import sys
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from weakref import WeakKeyDictionary

from prune_mcp.search.find.matches import Spot
from prune_mcp.search.find.scan import Scanned
from prune_mcp.search.rows import IndexView
from prune_mcp.search.segments.segment import Segment

_UNKNOWN = 1 << 62

# The column as bytes, which can be looked into quickly, and what tells that most hashes are not in it even sooner;
# both are held for each segment.
_columns: WeakKeyDictionary[Segment, tuple[bytes, bytes]] = WeakKeyDictionary()
_SEEN_PER_DOC = 16


@dataclass(frozen=True, slots=True)
class Place:
    """A place of a text. `source`: the number of its source, 0 for what is not indexed. `time`: when it was said;
    `first` and `last`: when its session began, and was last written to; in seconds since the epoch, 0 unknown."""

    at: Spot | Scanned
    session: str
    parent: str
    source: int
    time: float
    first: float = 0
    last: float = 0


class Copies:
    """Finds all places of a text: in the sources of a view, but for `void` ones, and in what was scanned."""

    def __init__(self, view: IndexView, void: Collection[int], scanned: Iterable[Scanned]) -> None:
        self._view = view
        self._void = void
        self._scanned: defaultdict[int, list[Scanned]] = defaultdict(list)
        for each in scanned:
            self._scanned[each.copy].append(each)

    def of(self, copy: int) -> list[Place]:
        """The places of a text, the original first: the earliest, in the session that others come from; of its
        places in that session those in files that are there."""
        found = [*self._indexed(copy), *map(self._place, self._scanned.get(copy, ()))]
        if len(found) < 2:
            return found
        sessions = {place.session for place in found}
        found.sort(key=lambda place: _age(place, sessions))
        if self._gone(found[0]):
            # A session may have a second file, and lose the first one.
            original = found[0].session
            found.sort(key=lambda place: place.session != original or self._gone(place))
        return found

    def scanned(self, copy: int) -> bool:
        """Whether the scan found a text."""
        return copy in self._scanned

    def _gone(self, place: Place) -> bool:
        """Whether the file of a place is no longer there."""
        one = self._view.sources.get(place.source)
        return one is not None and (one.gone or not Path(one.path).exists())

    def _place(self, scanned: Scanned) -> Place:
        origin = scanned.origin
        known = None if origin.source in self._void else self._view.sources.get(origin.source)
        first = known.first if known else scanned.first
        return Place(scanned, origin.session, origin.parent, 0, int(scanned.passage.time), first, scanned.last)

    def _indexed(self, copy: int) -> Iterator[Place]:
        sources = self._view.sources
        for shard, segments in self._view.shards.items():
            for segment in segments:
                for doc in _docs(segment, copy):
                    number = segment.sources[doc]
                    if number in sources and number not in self._void:
                        one = sources[number]
                        spot = Spot(shard, number, segment.frames[doc], segment.slots[doc], copy)
                        yield Place(spot, one.session, one.parent, number, segment.times[doc], one.first, one.last)


def _docs(segment: Segment, copy: int) -> Iterator[int]:
    """The documents of a segment with this hash."""
    known = _columns.get(segment)
    if known is None:
        known = _columns[segment] = segment.copies.tobytes(), _seen(segment)
    column, seen = known
    if not seen[copy % len(seen)]:
        return
    width = segment.copies.itemsize
    try:
        wanted = copy.to_bytes(width, sys.byteorder)
    except OverflowError:
        return
    at = column.find(wanted)
    while at >= 0:
        if at % width == 0:
            yield at // width
        at = column.find(wanted, at + 1)


def _seen(segment: Segment) -> bytes:
    """A byte for each remainder of a hash: 1 where a document's hash leaves it."""
    seen = bytearray(_SEEN_PER_DOC * segment.docs + 1)
    size = len(seen)
    for copy in segment.copies:
        seen[copy % size] = 1
    return bytes(seen)


def _age(place: Place, sessions: Collection[str]) -> tuple[float, bool, float, float, int]:
    return (
        place.time or _UNKNOWN,
        place.parent in sessions,
        place.first or _UNKNOWN,
        place.last,
        place.source or _UNKNOWN,
    )
