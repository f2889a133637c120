"""A session in outline: what the person asked for, in order, with what it took to answer."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from prune_mcp.engine.past import SearchError
from prune_mcp.engine.recovery.fence import inline

if TYPE_CHECKING:
    from prune_mcp.engine.past import PastSessions
    from prune_mcp.search.entries.session_entries import SessionEntries
    from prune_mcp.search.index import Index

# Characters of one prompt, and of all of them together.
PROMPT_CHARS = 200
ROOM = 17_000
NAMED = 20


@dataclass(slots=True)
class Asked:
    """One prompt: the entry's ref, when (seconds since the epoch, 0.0 unknown), its beginning, and how many tool
    calls came after it."""

    ref: str
    time: float
    text: str
    calls: int = 0


@dataclass(slots=True)
class Outline:
    """A session's prompts, the oldest first; `left_out` older ones have no room."""

    session: str
    agent: str
    cwd: str
    title: str
    asked: list[Asked] = field(default_factory=list)
    left_out: int = 0
    notes: list[str] = field(default_factory=list)


def outline(past: PastSessions, word: str) -> Outline:
    """The outline of the session with this id or beginning of one; secrets are masked.

    Raises:
        SearchError: there is no such session, or several.
        StoreError: the index cannot be read.
    """
    view = past.index.view()
    entries = _only(word, _meant(past, word), [] if view.catalog == "read" else view.damaged)
    source = entries.source
    asked = list(_asked(past.index, entries))
    shown = _fitting(asked)
    left_out = len(asked) - len(shown)
    return Outline(source.session, source.host, source.cwd, source.title, shown, left_out, entries.remarks)


def _meant(past: PastSessions, word: str) -> Iterator[SessionEntries]:
    """The entries of each session that could be meant, with what is not indexed of it."""
    from prune_mcp.search.entries.entry_ref import EntryRef
    from prune_mcp.search.entries.session_entries import indexed_entries, with_tail
    from prune_mcp.sessions.model import SessionError

    means = EntryRef("", past.known_as(word)).means_session
    view = past.index.view()
    meant = {n: indexed_entries(past.index, one) for n, one in view.sources.items() if means(one.session)}
    for pending in past.index.pending(past.files(), view):
        known = meant.get(pending.number or 0)
        if known is not None or means(pending.file.id):
            try:
                yield with_tail(known, pending)
            except SessionError as error:
                if known is None:
                    raise SearchError(f"The session cannot be read: {error}") from error
                known.notes.append(f"What is not indexed of this session could not be read ({error}).")
                continue
            meant.pop(pending.number or 0, None)
    yield from meant.values()


def _only(word: str, meant: Iterable[SessionEntries], unread: Sequence[str]) -> SessionEntries:
    by_id: dict[str, SessionEntries] = {}
    for entries in meant:
        # Of several files of one session the longest holds what the others do.
        held = by_id.get(entries.source.session)
        if held is None or len(entries.parts) > len(held.parts):
            by_id[entries.source.session] = entries
    found = [by_id[word]] if word in by_id else list(by_id.values())
    if len(found) == 1:
        return found[0]
    named = inline(word, 100)
    if found:
        ids = ", ".join(sorted(by_id)[:NAMED])
        raise SearchError(f"Several sessions begin with {named}: {inline(ids, 1000)}. Name one in full.")
    none = f"There is no session {named}. Give its id, or the first 8 characters of it or more."
    raise SearchError(" ".join([none, *unread]))


def _asked(index: Index, entries: SessionEntries) -> Iterator[Asked]:
    from prune_mcp.search.entries.entry_ref import EntryRef, short

    latest: Asked | None = None
    for id in entries.spoken():
        kept = entries.of(id)
        own = [at for at, part in enumerate(kept) if part.role == "user"]
        if own:
            if latest:
                yield latest
            texts = entries.texts(index, id)
            text = inline(" ".join(texts[at] for at in own), PROMPT_CHARS)
            latest = Asked(str(EntryRef(short(id), entries.source.session)), kept[own[0]].time, text)
        elif latest:
            latest.calls += sum(part.role == "call" for part in kept)
    if latest:
        yield latest


def _fitting(asked: list[Asked]) -> list[Asked]:
    """The newest prompts that have room."""
    room, first = ROOM, len(asked)
    while first and room >= len(asked[first - 1].text):
        first -= 1
        room -= len(asked[first].text) + len(asked[first].ref) + 40
    return asked[first:]
