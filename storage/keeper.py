"""Keeping bodies inside a write transaction, and reading them back."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable
from pathlib import Path

from prune_mcp.storage import statements as sql
from prune_mcp.storage.bodies import LARGE, SUFFIXES, BodyFiles, damaged, pack, unpack
from prune_mcp.storage.rows import Row


class BodyKeeper:
    """The bodies of one store: rows of its database at `path`, and files below `folder`."""

    def __init__(self, path: Path, folder: Path) -> None:
        self.path = path
        self.files = BodyFiles(folder)

    def keep(self, connection: sqlite3.Connection, bodies: Iterable[tuple[str, bytes]]) -> None:
        """Keep each (sha, bytes) that the store has not; a large one whose file went away gets it back."""
        rows: dict[str, Row] = {}
        for sha, data in bodies:
            if sha in rows:
                continue
            found = connection.execute(sql.FIND_BODY, (sha,)).fetchone()
            if found is None:
                rows[sha] = self._row(sha, data)
            elif found[1] and not self.files.holds(sha, found[0]):
                connection.execute(sql.REPACK_BODY, (self.files.write(sha, data), sha))
        connection.executemany(sql.ADD_BODY, rows.values())

    def read(self, sha: str, row: Row | None) -> bytes:
        """A body's bytes out of its row in the database (None: it has no row), checked.

        Raises:
            BodyDamaged: the kept bytes are missing or not what was stored.
        """
        if row is None:
            raise damaged(sha, str(self.path), "it is missing")
        packing, size, data = row
        if packing not in SUFFIXES or not isinstance(size, int) or not isinstance(data, bytes | None):
            raise damaged(sha, str(self.path), "its record is unreadable")
        if data is None:
            return self.files.read(sha, packing, size)
        return unpack(sha, packing, size, data, str(self.path))

    def _row(self, sha: str, data: bytes) -> Row:
        """The row of a new body; a large one is in its file before the row names it."""
        if len(data) >= LARGE:
            return sha, len(data), self.files.write(sha, data), None
        packing, packed = pack(data)
        return sha, len(data), packing, packed
