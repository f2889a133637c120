"""The sessions of this machine: transcripts that hosts keep, and sessions that only the store still knows."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from prune_mcp.engine.totals import totals
from prune_mcp.storage.errors import StoreError, StoreNewer
from prune_mcp.storage.protocol import Store
from prune_mcp.storage.records import SessionRecord

UNREAD = "Only the sessions on disk are listed, and not what was archived or saved of them."


@dataclass(slots=True)
class SessionRow:
    """One session: where it is (an empty path: only in the store), size in bytes, time of the last write in
    seconds since the epoch (0: unknown), whether it was ever archived, and what its tree comes to: outputs, those
    pruned, and estimated tokens saved."""

    id: str
    host: str
    cwd: str
    title: str
    path: str
    mtime: float
    size: int
    archived: bool = False
    outputs: int = 0
    pruned: int = 0
    saved: int = 0


def listing(store: Store, env: Mapping[str, str], notes: list[str] | None = None) -> list[SessionRow]:
    """Every session, the latest written first; one file that links lead to by several names is told once.

    `notes`: takes a sentence on why only those on disk are told, where the store cannot be read.

    Raises:
        StoreNewer: a newer version wrote the store.
        StoreError: the store cannot be read, and there are no `notes` to say so.
    """
    try:
        return _rows(store, env)
    except StoreNewer:
        raise
    except StoreError as error:
        if notes is None:
            raise
        notes.append(f"{UNREAD} {error}")
        return _rows(None, env)


def _rows(store: Store | None, env: Mapping[str, str]) -> list[SessionRow]:
    from prune_mcp.sessions.discover import discover, each_once
    from prune_mcp.sessions.exports.imported import IMPORTS
    from prune_mcp.storage.home import home, user_folder

    known = {record.id: record for record in store.sessions()} if store else {}
    rows = []
    for found in each_once(discover(env, user_folder(env), imports=home(env).data / IMPORTS)):
        record = known.pop(found.id, None)
        row = SessionRow(found.id, found.host, found.cwd, found.title, str(found.address), found.mtime, found.size)
        rows.append(_with_outputs(store, row, record))
    gone = [_with_outputs(store, _stored(record), record) for record in known.values()]
    return sorted(rows, key=lambda row: -row.mtime) + gone


def _stored(record: SessionRecord) -> SessionRow:
    return SessionRow(record.id, record.host or record.format, record.cwd, record.title, "", 0.0, 0)


def _with_outputs(store: Store | None, row: SessionRow, record: SessionRecord | None) -> SessionRow:
    if store is None or record is None:
        return row
    row.archived = True
    row.outputs, row.pruned, row.saved = totals(store, record.id)
    return row
