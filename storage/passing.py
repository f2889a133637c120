"""A store in memory, for what is to be reckoned and not kept: it needs neither rights nor room on a disk."""

from __future__ import annotations

import sqlite3
from pathlib import Path

from prune_mcp.storage.access import Access
from prune_mcp.storage.bodies import pack
from prune_mcp.storage.keeper import BodyKeeper
from prune_mcp.storage.migrations import migrate
from prune_mcp.storage.protocol import Store
from prune_mcp.storage.rows import Row
from prune_mcp.storage.schema import MIGRATIONS
from prune_mcp.storage.sqlite import LOCK_SECONDS, SQLiteStore, utc_now

NOWHERE = Path(":memory:")


def passing_store() -> Store:
    """An empty store; all of it is gone once it is closed."""
    access = _Access(NOWHERE, LOCK_SECONDS, MIGRATIONS)
    return SQLiteStore(access, _Bodies(NOWHERE, NOWHERE), utc_now)


class _Access(Access):
    """Access to a database in memory, which is always in its place."""

    def _there(self) -> bool:
        return True

    def _opened(self) -> sqlite3.Connection:
        if self._connection is None:
            connection = sqlite3.connect(NOWHERE.name, isolation_level=None, check_same_thread=False)
            migrate(connection, self.path, self._migrations)
            self._connection = connection
            self.openings += 1
        return self._connection

    def _check_place(self) -> None:
        return None


class _Bodies(BodyKeeper):
    """Bodies that stand in the database, however large."""

    def _row(self, connection: sqlite3.Connection, sha: str, data: bytes) -> Row:
        return sha, len(data), *pack(data)
