"""Keeping bodies inside a write transaction, and reading them back."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable
from pathlib import Path

from prune_mcp.storage import statements as sql
from prune_mcp.storage.bodies import LARGE, RELEASED, SUFFIXES, BodyFiles, damaged, pack, unpack
from prune_mcp.storage.errors import BodyReleased
from prune_mcp.storage.rows import Row


class BodyKeeper:
    """The bodies of one store: rows of its database at `path`, and files below `folder`.

    The file `owner` in that folder names the store whose bodies these are, so that no other one, put in its
    place, takes them for garbage.
    """

    def __init__(self, path: Path, folder: Path) -> None:
        self.path = path
        self.files = BodyFiles(folder)
        self.owner = folder / "owner"
        self._claimed = False

    def keep(self, connection: sqlite3.Connection, bodies: Iterable[tuple[str, bytes]]) -> None:
        """Keep each (sha, bytes) that the store has not; a large one whose file went away gets it back."""
        rows: dict[str, Row] = {}
        for sha, data in bodies:
            if sha in rows:
                continue
            found = connection.execute(sql.FIND_BODY, (sha,)).fetchone()
            if found is None:
                rows[sha] = self._row(connection, sha, data)
            elif found[1] and not self.files.holds(sha, found[0]):
                self.mend(connection, sha, data)
        connection.executemany(sql.ADD_BODY, rows.values())

    def mend(self, connection: sqlite3.Connection, sha: str, data: bytes) -> None:
        """Keep the bytes of a body anew, whatever is kept of it."""
        connection.execute(sql.PUT_BODY, self._row(connection, sha, data))

    def owned_by(self, id: str) -> bool:
        """Whether the files below the folder are those of the store with this id, as far as anything tells."""
        try:
            return self.owner.read_text(encoding="ascii", errors="replace").strip() == id
        except FileNotFoundError:
            return True

    def _claim(self, connection: sqlite3.Connection) -> None:
        """Name this store as the owner of the files, unless one is named."""
        if self._claimed:
            return
        self._claimed = True
        if not self.owner.exists():
            (id,) = connection.execute(sql.IDENTITY).fetchone()
            with os.fdopen(os.open(self.owner, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
                file.write(id)

    def read(self, sha: str, row: Row | None) -> bytes:
        """A body's bytes out of its row in the database (None: it has no row), checked.

        Raises:
            BodyDamaged: the kept bytes are missing or not what was stored.
        """
        if row is None:
            raise damaged(sha, str(self.path), "it is missing")
        packing, size, data = row
        if packing == RELEASED:
            raise BodyReleased(
                f"The body {sha} was given up to free space. Pruning its session again keeps it anew, if the "
                "session still holds it."
            )
        if packing not in SUFFIXES or not isinstance(size, int) or not isinstance(data, bytes | None):
            raise damaged(sha, str(self.path), "its record is unreadable")
        if data is None:
            return self.files.read(sha, packing, size)
        return unpack(sha, packing, size, data, str(self.path))

    def _row(self, connection: sqlite3.Connection, sha: str, data: bytes) -> Row:
        """The row of a new body; a large one is in its file before the row names it."""
        if len(data) >= LARGE:
            packing = self.files.write(sha, data)
            self._claim(connection)
            return sha, len(data), packing, None
        packing, packed = pack(data)
        return sha, len(data), packing, packed
