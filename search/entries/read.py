"""Reads one entry of a past session, in pages that join, or together with its neighbours."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from prune_mcp.search.entries.entry_ref import EntryRef, parse_entry_ref, short
from prune_mcp.search.entries.meant import meant_entry, unnamed
from prune_mcp.search.entries.other_ids import known_as
from prune_mcp.search.entries.session_entries import SessionEntries, indexed_entries, with_tail
from prune_mcp.search.entries.session_names import SessionNames
from prune_mcp.search.find.filters import project_name
from prune_mcp.search.find.hits import flags_shown
from prune_mcp.search.find.question import Flag, QuestionWrong, SearchError
from prune_mcp.search.index import Index
from prune_mcp.search.indexing.pending import as_moved
from prune_mcp.search.packs.frame import FrameDamaged, Kept
from prune_mcp.search.rows import IndexView
from prune_mcp.sessions.model import SessionError
from prune_mcp.sessions.session_file import SessionFile

MOST_AROUND = 50


@dataclass(frozen=True, slots=True)
class Block:
    """A part of an entry: who speaks, which tool, and from where to where it stands in the entry's whole text."""

    role: str
    tool: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class EntryText:
    """A page of an entry. `text`: characters `start` to `end` of `total`; its blocks are joined by one newline.

    `time`: seconds since the epoch, 0.0 unknown. `blocks`: of the whole entry.
    """

    entry: str
    ref: str
    time: float
    flags: Sequence[Flag]
    blocks: Sequence[Block]
    text: str
    start: int
    end: int
    total: int


@dataclass(slots=True)
class Reading:
    """What was read. `entries`: in the session's order, the one asked for at `focus`. `notes`: sentences."""

    session: str
    agent: str
    project: str
    cwd: str
    title: str
    entries: list[EntryText]
    focus: int = 0
    notes: list[str] = field(default_factory=list)


def read(
    index: Index,
    files: Callable[[], Sequence[SessionFile]],
    ref: str,
    offset: int = 0,
    limit: int = 8000,
    around: int = 0,
) -> Reading:
    """An entry's text from character `offset` on, with `around` entries before and after it; `limit` characters in
    all, which are shared out fairly.

    `files`: finds the sessions on this machine.

    Raises:
        QuestionWrong: the ref names no entry of a session, or a number is out of range.
        SearchError: there is no such entry, several could be meant, or the offset is behind its end.
        StoreError: the index cannot be read.
    """
    wanted = parse_entry_ref(ref)
    if not wanted.session:
        raise QuestionWrong(f"{wanted} names no session: give the entry as a search shows it, {wanted}@SESSION.")
    if offset < 0 or limit < 1 or not 0 <= around <= MOST_AROUND:
        raise QuestionWrong(
            f"An entry is read from offset 0 on, by 1 character or more, with 0 to {MOST_AROUND} around."
        )
    view = index.view()
    # A session that only the catalog knows is not to be taken for none.
    unread = [] if view.catalog == "read" else view.damaged
    try:
        reading = _read(index, view, files, wanted, offset, limit, around)
    except SearchError as error:
        raise type(error)(" ".join([str(error), *unread])) from error
    reading.notes = [*reading.notes, *unread]
    return reading


def _read(
    index: Index,
    view: IndexView,
    files: Callable[[], Sequence[SessionFile]],
    wanted: EntryRef,
    offset: int,
    limit: int,
    around: int,
) -> Reading:
    wanted = wanted.among(lambda: _known(index, view, files))
    wanted = replace(wanted, session=known_as(wanted.session, view, files))
    if any(wanted.means_session(one.session) and not Path(one.path).exists() for one in view.sources.values()):
        view = as_moved(view, index.pending(files(), view))
    sessions = _sessions(index, view, files, wanted, tails=around > 0)
    if not sessions:
        raise SearchError(unnamed(wanted, {*_known(index, view, files)}))
    entries, entry = meant_entry(wanted, sessions)
    names = SessionNames([*(one.session for one in view.sources.values()), entries.source.session])
    return _Reader(index, entries, names).read(entry, offset, limit, around)


def _known(index: Index, view: IndexView, files: Callable[[], Sequence[SessionFile]]) -> Iterator[str]:
    yield from (one.session for one in view.sources.values())
    yield from (each.file.named or each.file.id for each in index.pending(files(), view))


def _sessions(
    index: Index, view: IndexView, files: Callable[[], Sequence[SessionFile]], wanted: EntryRef, tails: bool
) -> list[SessionEntries]:
    """The entries of each session that could be meant; what is not indexed is read only if it has to be."""
    meant = {
        n: indexed_entries(index, one) for n, one in view.sources.items() if wanted.means_session(one.session)
    }
    if not tails and any(wanted.means_entry(entry) for entries in meant.values() for entry in entries.parts):
        return list(meant.values())
    unindexed = []
    for pending in index.pending(files(), view):
        known = meant.get(pending.number or 0)
        if known is None and not wanted.means_session(pending.file.named or pending.file.id):
            continue
        try:
            unindexed.append(with_tail(known, pending))
        except SessionError as error:
            if known is None:
                continue
            known.notes.append(f"What is not indexed of this session could not be read ({error}).")
        else:
            meant.pop(pending.number or 0, None)
    return [*meant.values(), *unindexed]


class _Reader:
    """Reads entries of one session."""

    def __init__(self, index: Index, entries: SessionEntries, names: SessionNames) -> None:
        self._index = index
        self._entries = entries
        self._names = names

    def read(self, entry: str, offset: int, limit: int, around: int) -> Reading:
        """A page of one entry, or of it and its neighbours."""
        source = self._entries.source
        shown = self._neighbours(entry, around) if around else [entry]
        texts = {id: self._texts(id) for id in shown}
        sizes = {id: sum(map(len, blocks)) + len(blocks) - 1 for id, blocks in texts.items()}
        if offset and offset >= sizes[entry]:
            raise SearchError(f"Offset {offset} is behind the end: the entry has {sizes[entry]} characters.")
        starts = {id: offset if id == entry else 0 for id in shown}
        shares = fair_shares([sizes[id] - starts[id] for id in shown], limit)
        read = [self._page(id, texts[id], starts[id], most) for id, most in zip(shown, shares, strict=True)]
        project = project_name(source.cwd, source.project)
        focus, notes = shown.index(entry), self._entries.remarks if around else self._entries.notes
        return Reading(source.session, source.host, project, source.cwd, source.title, read, focus, notes)

    def _neighbours(self, entry: str, around: int) -> Sequence[str]:
        spoken = set(self._entries.spoken())
        order = [id for id in self._entries.parts if id == entry or id in spoken]
        at = order.index(entry)
        return order[max(0, at - around) : at + around + 1]

    def _texts(self, entry: str) -> Sequence[str]:
        try:
            return self._entries.texts(self._index, entry)
        except FrameDamaged as error:
            raise SearchError(f"The entry {entry} can no longer be read: {error}") from error

    def _page(self, entry: str, texts: Sequence[str], start: int, most: int) -> EntryText:
        source, kept = self._entries.source, self._entries.of(entry)
        whole = "\n".join(texts)
        end = min(len(whole), start + most)
        ref = str(EntryRef(short(entry), self._names.short(source.session)))
        time = next((each.time for each in kept if each.time), 0.0)
        flags = list(dict.fromkeys(flag for each in kept for flag in flags_shown(each.flags, source)))
        return EntryText(
            entry, ref, time, flags, list(_blocks(kept, texts)), whole[start:end], start, end, len(whole)
        )


def _blocks(kept: Sequence[Kept], texts: Sequence[str]) -> Iterator[Block]:
    at = 0
    for each, text in zip(kept, texts, strict=True):
        yield Block(each.role, each.tool, at, at + len(text))
        at += len(text) + 1


def fair_shares(sizes: Sequence[int], limit: int) -> list[int]:
    """How much of each text is shown when `limit` is for all: all of small ones, and of the others the same."""
    shares = [0] * len(sizes)
    left = limit
    for count, n in enumerate(sorted(range(len(sizes)), key=sizes.__getitem__)):
        shares[n] = min(sizes[n], left // (len(sizes) - count))
        left -= shares[n]
    return shares
