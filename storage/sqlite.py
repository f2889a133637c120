"""The index store in one SQLite file and a folder of large bodies."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TypeVar

from prune_mcp.storage import statements as sql
from prune_mcp.storage.access import Access
from prune_mcp.storage.errors import MOVE, StoreError
from prune_mcp.storage.home import Home
from prune_mcp.storage.keeper import BodyKeeper
from prune_mcp.storage.protocol import Care, Store, Writer
from prune_mcp.storage.records import ChainBlock, Diagnostic, Flush, ModelUsage, Output, Recoveries, SessionRecord
from prune_mcp.storage.rows import (
    Row,
    block_from,
    diagnostic_from,
    flush_from,
    kept,
    occurrence_from,
    output_from,
    restored,
    session_from,
    usage_from,
)
from prune_mcp.storage.schema import MIGRATIONS, Migration
from prune_mcp.storage.writer import SQLiteWriter

FILE = "store.db"
LOCK_SECONDS = 10.0
IDS_AT_ONCE = 500

Record = TypeVar("Record")


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
    access = Access(home.data / FILE, timeout, migrations)
    return SQLiteStore(access, BodyKeeper(access.path, home.data / "bodies"), clock)


class SQLiteStore:
    """The `Store` in SQLite."""

    def __init__(self, access: Access, bodies: BodyKeeper, clock: Callable[[], str]) -> None:
        self._access = access
        self._bodies = bodies
        self._clock = clock

    @contextmanager
    def write(self, wait: float | None = None) -> Iterator[Writer]:
        """A transaction; an exception inside it keeps nothing. Reads of this thread see what it wrote.

        `wait`: seconds to wait for other writers, by default the store's timeout.

        Raises:
            StoreBusy: another process or thread holds the lock for longer than the timeout.
            StoreFull: the disk is full.
            StoreError: the store cannot be written, or this thread is writing already.
        """
        with self._access.writing(wait) as connection:
            self._access.begin(connection)
            writer = SQLiteWriter(connection, self._bodies, self._access.failures, self._clock())
            try:
                yield writer
            finally:
                writer.end()
            if writer.failed:
                raise StoreError("A step of this write failed, so nothing of it was kept.") from writer.failed
            self._access.commit(connection)

    def version(self) -> int:
        """A number that changes whenever another connection has written, this one was opened anew, or care has
        taken something away."""
        rows = self._access.rows("PRAGMA data_version")
        return (self._access.openings << 32) + int(rows[0][0]) if rows else 0

    def sessions(self) -> list[SessionRecord]:
        """Every session, the latest written first."""
        return self._records(session_from, sql.SESSIONS)

    def session(self, id: str) -> SessionRecord | None:
        """One session by its exact id."""
        found = self._records(session_from, sql.SESSION, kept(id))
        return found[0] if found else None

    def outputs(self, session: str) -> list[Output]:
        """The session's outputs by ref."""
        return self._records(output_from, sql.OUTPUTS, kept(session))

    def blocks(self, session: str) -> list[ChainBlock]:
        """The session's blocks by number."""
        return self._records(block_from, sql.BLOCKS, kept(session))

    def flushes(self, session: str) -> list[Flush]:
        """The session's flushes by number."""
        return self._records(flush_from, sql.FLUSHES, kept(session))

    def facets(self, session: str) -> dict[tuple[int, str], str]:
        """The sha of each facet by (ref, name)."""
        rows = self._records(restored, sql.FACETS, kept(session))
        return {(ref, name): sha for ref, name, sha in rows}

    def diagnostics(self, session: str) -> list[Diagnostic]:
        """The session's diagnostics, by kind and key."""
        return self._records(diagnostic_from, sql.DIAGNOSTICS, kept(session))

    def recoveries(self, session: str) -> Recoveries:
        """What recoveries brought back into the session's context so far."""
        found = self._records(lambda row: Recoveries(*row), sql.RECOVERIES, kept(session))
        return found[0] if found else Recoveries()

    def model_usage(self, session: str) -> list[ModelUsage]:
        """What each model was asked for the session so far, by its name."""
        return self._records(usage_from, sql.USAGE, kept(session))

    def occurrences(self, call_ids: Sequence[str]) -> list[tuple[str, Output]]:
        """Every (session, output) of these tool-call ids, by session and ref."""
        wanted = [kept(call_id) for call_id in dict.fromkeys(call_ids)]
        found: list[tuple[str, Output]] = []
        for start in range(0, len(wanted), IDS_AT_ONCE):
            some = wanted[start : start + IDS_AT_ONCE]
            found += self._records(occurrence_from, sql.occurrences(len(some)), *some)
        return sorted(found, key=lambda each: (each[0], each[1].ref))

    def body(self, sha: str) -> bytes:
        """A body's bytes, checked against its hash.

        Raises:
            BodyDamaged: the kept bytes are missing or not what was stored.
        """
        rows = self._access.rows(sql.BODY, (kept(sha),))
        with self._access.failures:
            return self._bodies.read(sha, rows[0] if rows else None)

    def missing(self, session: str) -> set[str]:
        """The bodies of the session's outputs that are no longer there, by sha. Looks for them, and reads none."""
        rows = self._access.rows(sql.ELSEWHERE, (kept(session),))
        with self._access.failures:
            return {sha for sha, packing in rows if packing is None or not self._bodies.files.holds(sha, packing)}

    @property
    def care(self) -> Care:
        """Care of the store."""
        from prune_mcp.storage.care import SQLiteCare

        return SQLiteCare(self._access, self._bodies)

    def close(self) -> None:
        """Close the store; using it again opens it anew."""
        self._access.close()

    def _records(self, build: Callable[[Row], Record], statement: str, *values: str | bytes) -> list[Record]:
        """The records that a reading statement finds."""
        rows = self._access.rows(statement, values)
        try:
            return [build(row) for row in rows]
        except (ValueError, TypeError) as error:
            where = self._access.path
            raise StoreError(f"The store {where} is damaged: a record is unreadable ({error}). {MOVE}") from error
