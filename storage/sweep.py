"""Taking away files of bodies that no record names, while nobody can be writing one."""

from __future__ import annotations

import contextlib
import json
import os
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from prune_mcp.storage import care_statements as sql
from prune_mcp.storage.access import Access
from prune_mcp.storage.bodies import SUFFIXES, BodyFile, settle
from prune_mcp.storage.keeper import BodyKeeper

# No digit of a sha comes behind it.
BEHIND = "g"


@contextmanager
def changing(access: Access) -> Iterator[sqlite3.Connection]:
    """A transaction of care: kept whole or not at all. Who deletes in it sees to it that no record still names
    what goes: SQLite's own check would look through all records for each row.
    """
    with access.writing() as connection:
        connection.execute("PRAGMA foreign_keys = OFF")
        try:
            access.begin(connection)
            with access.failures:
                yield connection
            access.commit(connection)
        finally:
            if connection.in_transaction:
                connection.execute("ROLLBACK")
            connection.execute("PRAGMA foreign_keys = ON")


class Sweep:
    """The files of one store's bodies. Each is looked at and taken away under the store's write lock: who writes
    a body's file holds it, until the record that names the body is there for others to see."""

    def __init__(self, access: Access, bodies: BodyKeeper) -> None:
        self._access = access
        self._bodies = bodies
        self._marker = access.path.with_name("forgetting")

    def idle(self, files: Iterable[BodyFile]) -> Iterator[BodyFile]:
        """Those of the files that no body is in, as far as one can see without the lock."""
        with self._access.failures:
            for file in files:
                packed = self._access.rows(sql.LIVE_FILE, (file.sha,))
                if (file.packing,) not in packed:
                    yield file

    def clear(self, mine: bool) -> list[BodyFile]:
        """Take away what was never finished and, where the files are this store's (`mine`), what no body is in.

        Returns what was taken away.
        """
        gone: list[BodyFile] = []
        folders: dict[Path, list[BodyFile]] = {}
        for file in self._bodies.files.walk():
            if mine or not file.sha:
                folders.setdefault(file.path.parent, []).append(file)
        for files in folders.values():
            with changing(self._access) as connection:
                live = _live(connection, files[0].sha[:2])
                for file in files:
                    if (file.sha, file.packing) not in live and _removed(file.path):
                        gone.append(file)
        return gone

    def remove(self, shas: Iterable[str]) -> int:
        """Take away the files of these bodies where no body is in them any more; returns their bytes."""
        freed = 0
        for sha in shas:
            with changing(self._access) as connection:
                live = {packing for (packing,) in connection.execute(sql.LIVE_FILE, (sha,))}
                for packing in SUFFIXES.keys() - live:
                    path = self._bodies.files.path(sha, packing)
                    with contextlib.suppress(FileNotFoundError):
                        size = path.stat().st_size
                        path.unlink()
                        freed += size
        return freed

    def mark(self, shas: Iterable[str]) -> None:
        """Remember that these files are to go, so that it is done even when this process is killed."""
        handle = os.open(self._marker, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(handle, "w", encoding="ascii") as file:
            json.dump(sorted({*self.marked(), *shas}), file)
            file.flush()
            os.fsync(file.fileno())
        settle(self._marker.parent)

    def marked(self) -> list[str]:
        """The files that a forgetting was to take away, when it was cut short."""
        try:
            return [sha for sha in json.loads(self._marker.read_text(encoding="ascii")) if isinstance(sha, str)]
        except (FileNotFoundError, ValueError):
            return []

    @property
    def cut_short(self) -> bool:
        """Whether a forgetting was begun and not brought to its end."""
        return self._marker.exists()

    def unmark(self) -> None:
        """The forgetting has come to its end."""
        self._marker.unlink(missing_ok=True)


def _live(connection: sqlite3.Connection, beginning: str) -> set[tuple[str, int]]:
    """The bodies whose shas begin so and that stand in files, with their packing."""
    return set(connection.execute(sql.LIVE_FILES, (beginning, beginning + BEHIND))) if beginning else set()


def _removed(path: Path) -> bool:
    try:
        path.unlink()
    except FileNotFoundError:
        return False
    return True
