"""Opening the store's SQLite file: checked before anything is written, then in WAL mode."""

from __future__ import annotations

import sqlite3
import time
from collections.abc import Sequence
from pathlib import Path

from prune_mcp.storage.errors import MOVE, StoreError
from prune_mcp.storage.home import private_folder
from prune_mcp.storage.migrations import check, migrate
from prune_mcp.storage.schema import Migration

RETRY_SECONDS = 0.01
# A log that one huge write blew up shrinks to this many bytes at its next reset.
LOG_BYTES = 16 * 1024 * 1024
# SQLite takes a file smaller than its smallest page for an empty one, and would write over it.
SMALLEST_BYTES = 512


def connect(path: Path, timeout: float, migrations: Sequence[Migration]) -> sqlite3.Connection:
    """Open the store at `path`, made or migrated when need be; waits up to `timeout` seconds for locks.

    Raises:
        StoreError: it is no file, another program's, or written by a newer version; it is left as it is.
        sqlite3.Error: whatever else SQLite reports.
    """
    if path.exists() and not path.is_file():
        raise StoreError(f"{path} is no file, so it cannot be the store. {MOVE}")
    fresh = not path.exists() or path.stat().st_size == 0
    if fresh:
        private_folder(path.parent)
    else:
        view(path, timeout, len(migrations)).close()
    connection = sqlite3.connect(path, timeout=timeout, isolation_level=None, check_same_thread=False)
    try:
        if fresh:
            adopt(connection, path)
        prepare(connection, timeout)
        check(connection, path, len(migrations))
        migrate(connection, path, migrations)
        connection.execute("PRAGMA foreign_keys = ON")
    except BaseException:
        connection.close()
        raise
    return connection


def view(path: Path, timeout: float, newest: int) -> sqlite3.Connection:
    """A connection that cannot write to the store file, which must exist.

    Without a log beside it the file is opened as immutable: then SQLite makes no file next to it either, but
    it also sees no later write of others, so such a connection is not to be kept.

    Raises:
        StoreError: the file is another program's, or written by a newer version.
        sqlite3.Error: whatever else SQLite reports.
    """
    if 0 < path.stat().st_size < SMALLEST_BYTES:
        raise StoreError(f"{path} is not a store of prune-mcp. {MOVE}")
    log = path.with_name(path.name + "-wal")
    mode = "mode=ro" if log.exists() and log.stat().st_size else "mode=ro&immutable=1"
    connection = sqlite3.connect(f"{path.as_uri()}?{mode}", uri=True, timeout=timeout, isolation_level=None)
    try:
        check(connection, path, newest)
    except BaseException:
        connection.close()
        raise
    return connection


def adopt(connection: sqlite3.Connection, path: Path) -> None:
    """Make a new store file private; the files that SQLite keeps beside it take its mode."""
    connection.execute("PRAGMA schema_version").fetchone()
    path.chmod(0o600)


def prepare(connection: sqlite3.Connection, timeout: float) -> None:
    """Set the journal mode of the file and the habits of the connection."""
    deadline = time.monotonic() + timeout
    while connection.execute("PRAGMA journal_mode").fetchone() != ("wal",):
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            break
        except sqlite3.OperationalError as error:
            # SQLite does not wait for this lock itself when two processes make the store at once.
            if error.sqlite_errorcode & 0xFF != sqlite3.SQLITE_BUSY or time.monotonic() > deadline:
                raise
            time.sleep(RETRY_SECONDS)
    connection.execute("PRAGMA synchronous = NORMAL")
    connection.execute(f"PRAGMA journal_size_limit = {LOG_BYTES}")
