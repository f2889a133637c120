"""The index store in one SQLite file and a folder of large bodies; opened when first used."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

from prune_mcp.storage import statements as sql
from prune_mcp.storage.connection import connect
from prune_mcp.storage.errors import StoreBusy, StoreError
from prune_mcp.storage.failures import Failures
from prune_mcp.storage.home import Home
from prune_mcp.storage.keeper import READ, BodyKeeper
from prune_mcp.storage.migrations import newer, version_of
from prune_mcp.storage.protocol import Store, Writer
from prune_mcp.storage.records import ChainBlock, Diagnostic, Flush, Output, SessionRecord
from prune_mcp.storage.rows import (
    Row,
    block_from,
    flush_from,
    given,
    kept,
    output_from,
    restored,
    session_from,
)
from prune_mcp.storage.schema import MIGRATIONS, Migration
from prune_mcp.storage.writer import SQLiteWriter

FILE = "store.db"
LOCK_SECONDS = 10.0
IDS_AT_ONCE = 500


def utc_now() -> str:
    """The time now, in UTC to the second."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def open_store(
    home: Home,
    *,
    timeout: float = LOCK_SECONDS,
    clock: Callable[[], str] = utc_now,
    migrations: Sequence[Migration] = MIGRATIONS,
) -> Store:
    """The store in `home.data`. Nothing is opened before it is used, nothing made before it is written to.

    `timeout`: how long to wait for the lock of another process or thread, in seconds. `clock`: what
    `SessionRecord.updated` is set to.
    """
    return SQLiteStore(home.data, timeout, clock, migrations)


class SQLiteStore:
    """The `Store` in SQLite. Threads take turns on its one connection; processes each have their own."""

    def __init__(
        self, folder: Path, timeout: float, clock: Callable[[], str], migrations: Sequence[Migration]
    ) -> None:
        self.path = folder / FILE
        self._timeout = timeout
        self._clock = clock
        self._migrations = migrations
        self._bodies = BodyKeeper(self.path, folder / "bodies")
        self._failures = Failures(self.path)
        self._lock = threading.RLock()
        self._connection: sqlite3.Connection | None = None
        self._file = (0, 0)
        self._openings = 0

    @contextmanager
    def write(self) -> Iterator[Writer]:
        """A transaction; an exception inside it keeps nothing. Reads of this thread see what it wrote.

        Raises:
            StoreBusy: another process or thread holds the lock for longer than the timeout.
            StoreFull: the disk is full.
            StoreError: the store cannot be written, or this thread is writing already.
        """
        with self._turn():
            connection = self._begin()
            writer = SQLiteWriter(connection, self._bodies, self._failures, self._clock())
            try:
                yield writer
                if writer.failed:
                    raise StoreError("A step of this write failed, so nothing of it was kept.") from writer.failed
                with self._failures:
                    connection.execute("COMMIT")
            finally:
                writer.end()
                if connection.in_transaction:
                    connection.execute("ROLLBACK")

    def version(self) -> int:
        """A number that changes whenever another connection has written, or this one was opened anew."""
        rows = self._rows("PRAGMA data_version")
        return (self._openings << 32) + rows[0][0] if rows else 0

    def sessions(self) -> list[SessionRecord]:
        """Every session, the latest written first."""
        return [session_from(row) for row in self._rows(sql.SESSIONS)]

    def session(self, id: str) -> SessionRecord | None:
        """One session by its exact id."""
        rows = self._rows(sql.SESSION, kept(id))
        return session_from(rows[0]) if rows else None

    def outputs(self, session: str) -> list[Output]:
        """The session's outputs by ref."""
        return [output_from(row) for row in self._rows(sql.OUTPUTS, kept(session))]

    def blocks(self, session: str) -> list[ChainBlock]:
        """The session's blocks by number."""
        return [block_from(row) for row in self._rows(sql.BLOCKS, kept(session))]

    def flushes(self, session: str) -> list[Flush]:
        """The session's flushes by number."""
        return [flush_from(row) for row in self._rows(sql.FLUSHES, kept(session))]

    def facets(self, session: str) -> dict[tuple[int, str], str]:
        """The sha of each facet by (ref, name)."""
        return {(ref, given(name)): sha for ref, name, sha in self._rows(sql.FACETS, kept(session))}

    def diagnostics(self, session: str) -> list[Diagnostic]:
        """The session's diagnostics, by kind and key."""
        return [Diagnostic(*restored(row)) for row in self._rows(sql.DIAGNOSTICS, kept(session))]

    def occurrences(self, call_ids: Sequence[str]) -> list[tuple[str, Output]]:
        """Every (session, output) of these tool-call ids, by session and ref."""
        wanted = [kept(call_id) for call_id in dict.fromkeys(call_ids)]
        found: list[tuple[str, Output]] = []
        for start in range(0, len(wanted), IDS_AT_ONCE):
            some = wanted[start : start + IDS_AT_ONCE]
            rows = self._rows(sql.occurrences(len(some)), *some)
            found += [(given(row[0]), output_from(row[1:])) for row in rows]
        return sorted(found, key=lambda each: (each[0], each[1].ref))

    def body(self, sha: str) -> bytes:
        """A body's bytes, checked against its hash.

        Raises:
            BodyDamaged: the kept bytes are missing or not what was stored.
        """
        rows = self._rows(READ, kept(sha))
        with self._failures:
            return self._bodies.read(sha, rows[0] if rows else None)

    def close(self) -> None:
        """Close the store; using it again opens it anew."""
        with self._lock, self._failures:
            if self._connection is not None:
                self._connection.close()
                self._connection = None

    @contextmanager
    def _turn(self) -> Iterator[None]:
        """This thread's turn to write."""
        if not self._lock.acquire(timeout=self._timeout):
            raise StoreBusy(f"The store {self.path} is being written by another thread for too long. Try again.")
        try:
            yield
        finally:
            self._lock.release()

    def _begin(self) -> sqlite3.Connection:
        """The connection, with a write transaction begun on it."""
        with self._failures:
            connection = self._opened()
            if connection.in_transaction:
                raise StoreError("This thread is writing to the store already; end that write first.")
            self._check_place()
            connection.execute("BEGIN IMMEDIATE")
            version = version_of(connection)
            if version > len(self._migrations):
                connection.execute("ROLLBACK")
                raise newer(self.path, version, len(self._migrations))
            return connection

    def _opened(self) -> sqlite3.Connection:
        if self._connection is None:
            self._connection = connect(self.path, self._timeout, self._migrations)
            self._file = self._place()
            self._openings += 1
        return self._connection

    def _rows(self, statement: str, *values: str | bytes) -> list[Row]:
        """What a reading statement finds; nothing where there is no store yet."""
        with self._lock, self._failures:
            if self._connection is None and not self.path.exists():
                return []
            return self._opened().execute(statement, values).fetchall()

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
