"""The version of a store file, and the way from an older version to this one."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path

from prune_mcp.storage.errors import MOVE, StoreError, StoreNewer
from prune_mcp.storage.schema import APPLICATION_ID, Migration

# One statement, so that it cannot see half of what another process is just making.
STAMP = """
SELECT
    (SELECT application_id FROM pragma_application_id),
    (SELECT user_version FROM pragma_user_version),
    EXISTS (SELECT 1 FROM sqlite_master)
"""


def version_of(connection: sqlite3.Connection) -> int:
    """The version of the store's tables; 0 before the first migration."""
    row: tuple[int] = connection.execute("PRAGMA user_version").fetchone()
    return row[0]


def check(connection: sqlite3.Connection, path: Path, newest: int) -> None:
    """Check that the file is a store that version `newest` may open. Reads only.

    Raises:
        StoreNewer: a newer version of prune-mcp wrote it.
        StoreError: it belongs to another program.
    """
    owner, version, tables = connection.execute(STAMP).fetchone()
    if owner != APPLICATION_ID and (owner or version or tables):
        raise StoreError(f"{path} is a database of another program, not a store of prune-mcp. {MOVE}")
    if version > newest:
        raise newer(path, version, newest)


def newer(path: Path, version: int, newest: int) -> StoreNewer:
    """The refusal of a store that a newer version wrote."""
    return StoreNewer(
        f"The store {path} has version {version} and this prune-mcp knows versions up to {newest}: update "
        "prune-mcp to use it; nothing was read or written."
    )


def migrate(connection: sqlite3.Connection, path: Path, migrations: Sequence[Migration]) -> None:
    """Bring the store to the newest version, one transaction for each step.

    Raises:
        StoreNewer: another process brought it to a newer version meanwhile.
    """
    while version_of(connection) != len(migrations):
        connection.execute("BEGIN IMMEDIATE")
        try:
            advance(connection, path, migrations)
            connection.execute("COMMIT")
        except BaseException:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            raise


def advance(connection: sqlite3.Connection, path: Path, migrations: Sequence[Migration]) -> None:
    """Run the next migration, if another process has not done it before the lock was ours."""
    version = version_of(connection)
    if version > len(migrations):
        raise newer(path, version, len(migrations))
    if version == len(migrations):
        return
    for statement in migrations[version]:
        connection.execute(statement)
    connection.execute(f"PRAGMA user_version = {version + 1}")
