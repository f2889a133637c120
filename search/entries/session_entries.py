"""A session's entries in its own order: what the index keeps of them, and what stands behind that in its file."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from prune_mcp.search.find.scan import origin_of
from prune_mcp.search.index import Index
from prune_mcp.search.indexing.pending import Pending
from prune_mcp.search.indexing.status import damage_of
from prune_mcp.search.packs.frame import FrameDamaged, Kept, Origin, keep
from prune_mcp.search.rows import SourceRecord
from prune_mcp.search.secrets.masking import mask
from prune_mcp.sessions.damage import told as damage_told
from prune_mcp.sessions.history import read_history
from prune_mcp.sessions.passage import Passage


class Where(NamedTuple):
    """Where a passage is kept: its month, where in that month's pack its frame begins, and its place in it."""

    shard: str
    frame: int
    slot: int


@dataclass(frozen=True, slots=True)
class Part:
    """A passage of an entry as a pack keeps it, with where that is; or its text (masked), where none does yet.

    `number`: how many of its source's passages the packs have before it.
    """

    kept: Kept
    at: Where | str
    number: int = 0


@dataclass(slots=True)
class SessionEntries:
    """One source's entries by id, in order: each its parts by their places in it.

    `source`: what is known of the session. `notes`: what could not be read. `damage`: see `History.skipped`.
    """

    source: SourceRecord | Origin
    parts: dict[str, dict[int, Part]] = field(default_factory=dict)
    notes: list[str] = field(default_factory=list)
    damage: Mapping[str, int] = field(default_factory=dict)

    @property
    def remarks(self) -> list[str]:
        """The notes, and what of the session's file is damaged."""
        damaged = damage_told(self.damage)
        return [*self.notes, *([f"The session's file is damaged: {damaged}."] if damaged else [])]

    def of(self, entry: str) -> Sequence[Kept]:
        """What is known of the passages of an entry, in order."""
        parts = self.parts[entry]
        return [parts[at].kept for at in sorted(parts)]

    def texts(self, index: Index, entry: str) -> Sequence[str]:
        """The texts of the passages of an entry, in order, secrets masked.

        Raises:
            FrameDamaged: one can no longer be read.
        """
        parts = self.parts[entry]
        return [_text(index, parts[at].at) for at in sorted(parts)]

    def spoken(self) -> Sequence[str]:
        """The entries in order, but for those that only give the session a title."""
        return [entry for entry, parts in self.parts.items() if any(_spoken(part) for part in parts.values())]

    def add(self, kept: Kept, at: Where | str, number: int = 0) -> None:
        """Take the next passage; one that is there already is replaced."""
        self.parts.setdefault(kept.entry, {})[kept.at] = Part(kept, at, number)

    def settled(self, count: int) -> SessionEntries:
        """The same as far as so many of the source's passages tell it."""
        told = {
            entry: {at: part for at, part in parts.items() if part.number < count}
            for entry, parts in self.parts.items()
        }
        return replace(self, parts={entry: parts for entry, parts in told.items() if parts})


def indexed_entries(index: Index, record: SourceRecord) -> SessionEntries:
    """What the index keeps of a source."""
    entries = SessionEntries(record, damage=damage_of(index, record.number))
    lost = 0
    for shard, start, _ in index.frames_of(record.number):
        try:
            frame = index.frame_at(shard, start)
        except FrameDamaged:
            lost += 1
            continue
        for slot, kept in enumerate(frame.kept):
            entries.add(kept, Where(shard, start, slot), frame.first + slot)
    if lost:
        entries.notes.append(f"{lost} parts of this session could not be read from their packs.")
    return entries


def with_tail(entries: SessionEntries | None, pending: Pending) -> SessionEntries:
    """The entries with what the index does not cover of their file, which is read for that.

    Raises:
        SessionError: the file cannot be read.
    """
    history = read_history(pending.file, pending.mark if entries else None)
    tail = [*history.passages(), *history.rest()]
    if entries is None or history.fresh:
        entries = SessionEntries(origin_of(pending, history))
    elif isinstance(entries.source, SourceRecord):
        entries = entries.settled(entries.source.settled)
    _append(entries, tail)
    entries.damage = history.skipped
    return entries


def _append(entries: SessionEntries, passages: Iterable[Passage]) -> None:
    for passage in passages:
        text = mask(passage.text)
        entries.add(keep(passage, text)[0], text)


def _spoken(part: Part) -> bool:
    return part.kept.role != "title"


def _text(index: Index, at: Where | str) -> str:
    return at if isinstance(at, str) else index.frame_at(at.shard, at.frame).text(at.slot)
