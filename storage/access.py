"""A store file's one connection, shared by the threads of a process: opened when first used."""

from __future__ import annotations

import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from prune_mcp.storage.connection import connect, view
from prune_mcp.storage.errors import StoreBusy, StoreError
from prune_mcp.storage.failures import Failures, unwritable
from prune_mcp.storage.home import in_the_way, no_folder
from prune_mcp.storage.migrations import newer, version_of
from prune_mcp.storage.rows import Row
from prune_mcp.storage.schema import Migration


class Access:
    """Access to the store file at `path`. Threads take turns; processes each have their own.

    `openings` counts how often the file was opened, or might as well have been. `failures` says errors of SQLite
    as store errors.
    """

    def __init__(self, path: Path, timeout: float, migrations: Sequence[Migration]) -> None:
        self.path = path
        self.openings = 0
        self.failures = Failures(path)
        self._timeout = timeout
        self._migrations = migrations
        self._lock = threading.RLock()
        self._connection: sqlite3.Connection | None = None
        self._file = (0, 0)

    def rows(self, statement: str, values: Sequence[str | bytes] = ()) -> list[Row]:
        """What a reading statement finds; nothing where there is no store yet."""
        with self._lock, self.failures:
            if self._connection is None and not self._there():
                return []
            try:
                connection = self._opened()
            except sqlite3.Error as error:
                if not unwritable(error):
                    raise
                return self._glimpse(error, statement, values)
            return connection.execute(statement, values).fetchall()

    @contextmanager
    def writing(self, wait: float | None = None) -> Iterator[sqlite3.Connection]:
        """The connection for one write; a transaction left open on it is rolled back in the end.

        `wait`: seconds to wait for other threads and, in `begin`, for other processes; the timeout by default.

        Raises:
            StoreBusy: another thread writes for longer than the timeout.
            StoreError: the store cannot be opened, or this thread is writing already.
        """
        if not self._lock.acquire(timeout=self._timeout if wait is None else wait):
            raise StoreBusy(f"The store {self.path} is being written by another thread for too long. Try again.")
        try:
            with self.failures:
                connection = self._opened()
            if connection.in_transaction:
                raise StoreError("This thread is writing to the store already; end that write first.")
            self._check_place()
            try:
                if wait is not None:
                    self._be_patient(connection, wait)
                yield connection
            finally:
                if connection.in_transaction:
                    connection.execute("ROLLBACK")
                if wait is not None:
                    self._be_patient(connection, self._timeout)
        finally:
            self._lock.release()

    def begin(self, connection: sqlite3.Connection) -> None:
        """Take the write lock, and make sure that no newer version has migrated the store meanwhile."""
        with self.failures:
            connection.execute("BEGIN IMMEDIATE")
            version = version_of(connection)
        if version > len(self._migrations):
            raise newer(self.path, version, len(self._migrations))

    def commit(self, connection: sqlite3.Connection) -> None:
        """Keep what was written since `begin`."""
        with self.failures:
            connection.execute("COMMIT")

    def outdate(self) -> None:
        """Let whoever keeps copies of what was read see that they are out of date."""
        self.openings += 1

    def close(self) -> None:
        """Close the connection."""
        with self._lock, self.failures:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    def _be_patient(self, connection: sqlite3.Connection, wait: float) -> None:
        """Let SQLite wait for the locks of other processes for so many seconds."""
        connection.execute(f"PRAGMA busy_timeout = {int(1000 * wait)}")

    def _there(self) -> bool:
        """Whether there is a store; where something is in its way, or a link to it leads nowhere, that is no
        matter of none being there yet."""
        try:
            self.path.stat()
        except (FileNotFoundError, NotADirectoryError):
            if blocking := in_the_way(self.path):
                raise no_folder(blocking) from None
            if self.path.is_symlink():
                raise
            return False
        return True

    def _opened(self) -> sqlite3.Connection:
        if self._connection is None:
            self._connection = connect(self.path, self._timeout, self._migrations)
            self._file = self._place()
            self.openings += 1
        return self._connection

    def _glimpse(self, refused: sqlite3.Error, statement: str, values: Sequence[str | bytes]) -> list[Row]:
        """Read a store that cannot be opened for writing, once: each reading sees it anew."""
        connection = view(self.path, self._timeout, len(self._migrations))
        try:
            version = version_of(connection)
            if not version:
                # Whoever made it found no room, or was killed: nothing was ever kept in it.
                return []
            if version < len(self._migrations):
                raise refused
            self.openings += 1
            return connection.execute(statement, values).fetchall()
        finally:
            connection.close()

    def _place(self) -> tuple[int, int]:
        stat = self.path.stat()
        return stat.st_dev, stat.st_ino

    def _check_place(self) -> None:
        """Refuse to write to a file that no longer stands under its name: it would be lost."""
        try:
            stands = self._place() == self._file
        except FileNotFoundError:
            stands = False
        if not stands:
            raise StoreError(
                f"The store {self.path} was moved, deleted or replaced while in use, so nothing is written to it. "
                "Restart every program that uses it."
            )
