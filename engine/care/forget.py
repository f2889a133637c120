"""Forgetting sessions everywhere: in the history, in the store, among imports and kept searches."""

from __future__ import annotations

import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from prune_mcp.engine.answers import EngineError
from prune_mcp.engine.care.forgetting import Chosen, means
from prune_mcp.engine.care.unfinished import begun, sessions_of, unfinished
from prune_mcp.engine.due.flush_state import FlushStates
from prune_mcp.engine.masked import masked
from prune_mcp.engine.past import PastSessions
from prune_mcp.search.paths import Paths
from prune_mcp.search.watch import IMPORTS
from prune_mcp.storage.home import Home
from prune_mcp.storage.protocol import Store


@dataclass(frozen=True, slots=True)
class Forgot:
    """What was forgotten: sessions, their passages in the history with the bytes of their text, their outputs in
    the store with the bytes of the bodies that no other session holds, and copies of imported conversations."""

    sessions: int = 0
    passages: int = 0
    text_bytes: int = 0
    outputs: int = 0
    bytes: int = 0
    imports: int = 0


def meant(store: Store, past: PastSessions, what: str) -> list[Chosen]:
    """The sessions that a word means: those of the history and of the files there are, then those that only the
    store knows.

    Raises:
        StoreError: the store or the index cannot be read.
    """
    what = what.strip()
    known = {record.id: record for record in store.sessions()}
    found = [_with_outputs(store, chosen, chosen.session in known) for chosen in past.chosen(what)]
    named = {chosen.session for chosen in found}
    meant = means(what)
    for record in known.values():
        if record.id not in named and meant(record.id, record.cwd):
            host = record.host or record.format
            chosen = Chosen(record.id, host, record.cwd, masked(record.title), record.path, "")
            found.append(_with_outputs(store, chosen, True))
    return found


def would_forget(store: Store, home: Home, chosen: Sequence[Chosen]) -> Forgot:
    """What forgetting sessions would take away; takes nothing.

    Raises:
        StoreError: the store cannot be read.
    """
    sessions = list(dict.fromkeys(each.session for each in chosen))
    passages, text = sum(each.passages for each in chosen), sum(each.text for each in chosen)
    held = sum(body.size for body in store.care.held(sessions))
    return Forgot(len(sessions), passages, text, _outputs(chosen), held, len(_copies(home, chosen)))


def cut_short(store: Store, home: Home) -> bool:
    """Whether a forgetting was begun and not brought to its end: `resume` does that."""
    return store.care.cut_short or bool(unfinished(home))


def resume(store: Store, past: PastSessions, home: Home) -> None:
    """Bring what was cut short to its end.

    Raises:
        EngineError, StoreError: as `forget`.
    """
    for path in unfinished(home):
        _forget(store, past, home, sessions_of(path))
        path.unlink(missing_ok=True)
    store.care.resume()


def forget(store: Store, past: PastSessions, home: Home, chosen: Sequence[Chosen]) -> Forgot:
    """Forget sessions for good: no byte of what only they said stays in any file of ours. What other sessions
    name, forks among them, stays theirs. Cut short, it goes on when it is done again.

    Raises:
        EngineError: another process writes to the history; nothing was forgotten.
        StoreError: something cannot be written; what was not forgotten yet is forgotten by doing it again.
    """
    resume(store, past, home)
    if not chosen:
        return Forgot()
    with begun(home, chosen):
        return _forget(store, past, home, chosen)


def _forget(store: Store, past: PastSessions, home: Home, chosen: Sequence[Chosen]) -> Forgot:
    from prune_mcp.search.indexing.lock import WriterBusy

    try:
        history = past.forget(chosen)
    except WriterBusy as busy:
        raise EngineError(
            f"Nothing was forgotten, since the history is being written. {busy} Try again."
        ) from busy
    imports = _imports(home, chosen)
    shutil.rmtree(Paths(home).searches, ignore_errors=True)
    FlushStates(home).forget(each.session for each in chosen)
    forgotten = store.care.forget(list(dict.fromkeys(each.session for each in chosen)))
    count = len({each.session for each in chosen})
    return Forgot(count, history.passages, history.bytes, _outputs(chosen), forgotten.bytes, imports)


def _outputs(chosen: Sequence[Chosen]) -> int:
    """How many outputs the store holds of sessions, of which one may stand in several files."""
    return sum({each.session: each.outputs for each in chosen}.values())


def _with_outputs(store: Store, chosen: Chosen, archived: bool) -> Chosen:
    return replace(chosen, outputs=len(store.outputs(chosen.session))) if archived else chosen


def _imports(home: Home, chosen: Sequence[Chosen]) -> int:
    """Delete our own copies of imported conversations; returns how many there were."""
    copies = _copies(home, chosen)
    for path in copies:
        path.unlink(missing_ok=True)
    return len(copies)


def _copies(home: Home, chosen: Sequence[Chosen]) -> set[Path]:
    """Which of these are our own copies of imported conversations."""
    folder = home.data / IMPORTS
    return {Path(each.path) for each in chosen if Path(each.path).is_relative_to(folder)}
