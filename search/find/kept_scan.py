"""Reads kept texts whose words the index lacks, as when its cache was cleared, until they are in it again."""

from __future__ import annotations

import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from prune_mcp.search.find.masks import Masks
from prune_mcp.search.find.scan import Lately, Scan, Scanned
from prune_mcp.search.find.scanner import Scanner
from prune_mcp.search.index import Index
from prune_mcp.search.packs.frame import Frame, FrameDamaged
from prune_mcp.search.rows import IndexView

# Seconds that it may take in any case.
LEAST = 0.5
FRAMES = "SELECT shard, start, source, passages, bytes FROM frames ORDER BY shard DESC, start DESC"


class LackingFrame(NamedTuple):
    """A frame that no segment tells of. `size`: bytes of its texts."""

    shard: str
    start: int
    source: int
    passages: int
    size: int


@dataclass(slots=True)
class KeptScan:
    """`months` that the index lacks words of. `left`: frames that there was no time for. `lost`: how many passages
    could not be read from their packs."""

    months: Sequence[str] = ()
    left: list[LackingFrame] = field(default_factory=list)
    lost: int = 0

    def read(
        self, index: Index, view: IndexView, masks: Masks, scanner: Scanner, scan: Scan, until: float
    ) -> None:
        """Add to a scan what is found in the kept texts, the newest first, until the monotonic clock says so."""
        self.months = [shard for shard in view.lacking if masks.open_to(shard)]
        if not self.months:
            return
        until = max(until, time.monotonic() + LEAST)
        for each in _lacking(index, view, masks):
            if time.monotonic() > until:
                self.left.append(each)
                continue
            try:
                if scanner.owns(view.sources[each.source].session) or scanner.may_hold(index.texts_at(*each[:2])):
                    _take(index.frame_at(*each[:2]), view, masks, scanner, scan)
            except FrameDamaged:
                self.lost += each.passages
                continue
            scan.passages += each.passages
            scan.chars += each.size


def _lacking(index: Index, view: IndexView, masks: Masks) -> Iterator[LackingFrame]:
    """The frames of live sources that no segment tells of, the newest first."""
    held = {
        (shard, start) for shard, segments in view.shards.items() for each in segments for start in each.frames
    }
    lacking = set(view.lacking)
    for row in index.rows(FRAMES):
        frame = LackingFrame(*row)
        if frame.shard in lacking and frame.source in masks.live and (frame.shard, frame.start) not in held:
            yield frame


def _take(frame: Frame, view: IndexView, masks: Masks, scanner: Scanner, scan: Scan) -> None:
    source = view.sources[frame.origin.source]
    settled = source.settled if source.number in scan.again else sys.maxsize
    found: list[Scanned] = []
    for slot, kept in enumerate(frame.kept):
        if frame.first + slot >= settled:
            break
        passage = frame.passage(slot)
        if scanner.owns(source.session):
            known = scan.sessions.get(source.session, Lately())
            scan.sessions[source.session] = Lately(*map(max, known, Lately().then(passage)))
        if masks.lets_pass(kept) and (one := scanner.match(passage, kept=True)):
            one.origin, one.last = frame.origin, float(source.last)
            found.append(one)
    scan.take(found)
