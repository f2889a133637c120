"""Checking a store: every body against its hash, every record against those it names, and mending a body."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain

from prune_mcp.storage import care_statements as sql
from prune_mcp.storage import statements
from prune_mcp.storage.access import Access
from prune_mcp.storage.bodies import RELEASED
from prune_mcp.storage.care_records import Fault, Holder
from prune_mcp.storage.codec import digest
from prune_mcp.storage.errors import BodyDamaged, StoreError, StoreNewer
from prune_mcp.storage.keeper import BodyKeeper
from prune_mcp.storage.protocol import CareProgress
from prune_mcp.storage.rows import Row, given, kept
from prune_mcp.storage.sweep import changing

# Faults of SQLite's own check that are told one by one.
TOLD = 20


class Verifier:
    """Checks one store, and goes on behind what it cannot read. Others may write meanwhile."""

    def __init__(self, access: Access, bodies: BodyKeeper) -> None:
        self._access = access
        self._bodies = bodies

    def faults(self, progress: CareProgress | None) -> Iterator[Fault]:
        """Everything that is not as it was written, once each; `progress` hears of the bodies read.

        Raises:
            StoreNewer: a newer version wrote the store.
        """
        # A database that cannot be read says the same to each statement.
        told: set[Fault] = set()
        for fault in chain(self._database(), self._records(), self._all_bodies(progress)):
            if fault not in told:
                told.add(fault)
                yield fault

    def holders(self, sha: str) -> list[Holder]:
        """Whose body this is."""
        rows = self._access.rows(sql.HOLDERS, (kept(sha),))
        return [Holder(given(session), number, given(name)) for session, number, name in rows]

    def mend(self, sha: str, data: bytes) -> None:
        """Keep the bytes of a known body anew.

        Raises:
            ValueError: they are not its bytes.
            StoreError: the store cannot be written.
        """
        if digest(data) != sha:
            raise ValueError(f"these are not the bytes of the body {sha}")
        with changing(self._access) as connection:
            self._bodies.mend(connection, sha, data)

    def _database(self) -> Iterator[Fault]:
        rows, fault = self._asked(f"PRAGMA integrity_check({TOLD})")
        yield from fault
        for (said,) in rows:
            if said != "ok":
                yield Fault(f"the database {self._access.path}: {said}")

    def _records(self) -> Iterator[Fault]:
        for what, statement in sql.WRONG.items():
            rows, fault = self._asked(statement)
            yield from fault
            for (session,) in rows:
                yield Fault(f"session {given(session)}: {what}")
        rows, fault = self._asked(sql.STRAYS)
        yield from fault
        for table, count in rows:
            if count:
                yield Fault(f"{count} records in {table} are of no session")

    def _all_bodies(self, progress: CareProgress | None) -> Iterator[Fault]:
        missing, fault = self._asked(sql.MISSING)
        yield from fault
        for (sha,) in missing:
            yield Fault("it is missing", given(sha))
        rows, fault = self._asked(sql.EVERY_BODY)
        yield from fault
        for number, (sha, packing) in enumerate(rows):
            if progress is not None:
                progress(number, len(rows))
            if packing != RELEASED:
                yield from self._body(given(sha))

    def _body(self, sha: str) -> Iterator[Fault]:
        rows, fault = self._asked(statements.BODY, sha)
        yield from fault
        # Where there is no row any more, another process has taken the body away meanwhile.
        for row in rows:
            try:
                with self._access.failures:
                    self._bodies.read(sha, row)
            except BodyDamaged as error:
                again, _ = self._asked(statements.BODY, sha)
                if again and again[0][0] != RELEASED:
                    yield Fault(f"{error.reason} ({error.where})", sha)
            except StoreError as error:
                yield Fault(str(error), sha)

    def _asked(self, statement: str, *values: str | bytes) -> tuple[list[Row], list[Fault]]:
        """What a statement finds, or the fault that it cannot be asked."""
        try:
            return self._access.rows(statement, values), []
        except StoreNewer:
            raise
        except StoreError as error:
            return [], [Fault(str(error))]
