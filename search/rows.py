"""What the parts of search hand to each other: a passage's row, what is known of its source, an index as it is."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from prune_mcp.search.segments.segment import Segment

ABANDONED, SIDE, ECHO, ERROR = 1, 2, 4, 8


class Row(NamedTuple):
    """One passage in the index, all numbers.

    `source`: its `SourceRecord`. `role`: place in `SPEAKERS`. `tool`: the catalog's number of its tool, 0 for
    none. `flags`: ABANDONED | SIDE | ECHO | ERROR. `time`: seconds since the epoch, 0 unknown. `copy`: 64 bits of
    a hash of role and text, equal for copies. `frame`: where its frame begins in the shard's pack (bytes).
    `slot`: which of the frame's passages it is.
    """

    source: int
    role: int
    tool: int
    flags: int
    time: int
    copy: int
    frame: int
    slot: int


class SourceRecord(NamedTuple):
    """One source: a session's file, or one session in a database.

    `first` and `last`: the times of its passages in seconds since the epoch, 0 unknown. `position` and `stamp`: of
    the mark where indexing ended (see `Mark`). `waiting`: where passages wait behind that, since they may still
    change, how large the file was (bytes), else 0. `gone`: the source is no longer there. `held`: how many of its
    passages, the last ones, stand behind the mark and may change. `parent`: see `History.parent`.
    """

    number: int
    path: str
    inside: str
    host: str
    session: str
    parent: str
    cwd: str
    project: str
    title: str
    first: int
    last: int
    passages: int
    position: int
    stamp: tuple[int, ...]
    waiting: int = 0
    gone: bool = False
    held: int = 0

    @property
    def place(self) -> tuple[str, str]:
        """Its path and what it is inside of that; see `SessionFile.place`."""
        return self.path, self.inside

    @property
    def settled(self) -> int:
        """How many of its passages, the first ones, no later reading tells again."""
        return self.passages - self.held


class PlaceRow(NamedTuple):
    """Where a source stands, or stood, and how far it is indexed; see `SourceRecord`. `status`: what it is to the
    catalog."""

    stamp: tuple[int, ...]
    number: int
    path: str
    inside: str
    position: int
    waiting: int
    gone: int
    status: int

    @property
    def place(self) -> tuple[str, str]:
        """See `SourceRecord.place`."""
        return self.path, self.inside


@dataclass(frozen=True, slots=True)
class IndexView:
    """The index as it stands: nothing in it changes any more. `version` tells it from any other.

    `shards`: the segments of each month, newest month first. `sources`: those that are live, by number; rows of
    other numbers are dead. `tools`: names by number, the first is "". `damaged`: what could not be opened, a
    sentence each, and `lacking` the months that lack segments for that; the next writer builds them anew.
    `catalog`: whether the catalog was read; a `damaged` one the next writer makes anew, a `closed` one only the
    user can open, and either way nothing indexed is known here.
    """

    version: int
    shards: Mapping[str, Sequence[Segment]]
    sources: Mapping[int, SourceRecord]
    tools: Sequence[str]
    damaged: Sequence[str] = ()
    lacking: Sequence[str] = ()
    catalog: Literal["read", "damaged", "closed"] = "read"
