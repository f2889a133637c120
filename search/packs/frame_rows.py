"""A frame's passages as rows of a segment."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from prune_mcp.search.packs.frame import Header
from prune_mcp.search.rows import Row
from prune_mcp.search.words import counts
from prune_mcp.sessions.passage import SPEAKERS

if TYPE_CHECKING:
    from prune_mcp.search.segments.segment_writer import SegmentWriter

MOST_TOOLS = 0xFFFF


class ToolNumbers:
    """The numbers of tools by name; `new` are those that `known` had not."""

    def __init__(self, known: Mapping[str, int]) -> None:
        self.new: dict[str, int] = {}
        self._known = dict(known)
        self._next = max(known.values(), default=0) + 1

    def number(self, name: str) -> int:
        """The number of a tool, 0 for none and for more tools than rows can tell apart."""
        if not name:
            return 0
        if name not in self._known:
            if self._next > MOST_TOOLS:
                return 0
            self._known[name] = self.new[name] = self._next
            self._next += 1
        return self._known[name]


def add_frame(
    segment: SegmentWriter, header: Header, texts: Sequence[str], start: int, tools: ToolNumbers
) -> None:
    """Add the passages of a frame that begins at this byte of its pack to a segment."""
    source = header.origin.source
    for slot, (kept, text) in enumerate(zip(header.kept, texts, strict=True)):
        role, tool, time = SPEAKERS.index(kept.role), tools.number(kept.tool), seconds(kept.time)
        segment.add(Row(source, role, tool, kept.flags, time, kept.copy, start, slot), counts(text))


def seconds(time: float) -> int:
    """A passage's time as rows have it: in whole seconds, 0 for one that no row can hold."""
    return int(time) if 0 < time < 1 << 32 else 0
