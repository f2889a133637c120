"""The catalog's file, open for the one who writes to it: transactions, its state, and its soundness."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from prune_mcp.search.catalog.schema import INDEX_VERSION, MIGRATIONS
from prune_mcp.search.catalog.snapshot import TIMEOUT, newer, unreadable
from prune_mcp.storage.connection import connect
from prune_mcp.storage.errors import StoreBusy
from prune_mcp.storage.failures import Failures


class CatalogFile:
    """The catalog at `path`, made when it is missing; for the holder of the writer's lock.

    Raises:
        StoreNewer: a newer version wrote it; it is left as it is.
        StoreError: it cannot be opened.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        with Failures(path):
            self._connection = connect(path, TIMEOUT, MIGRATIONS)
            self._connection.execute("PRAGMA synchronous = FULL")
            self._connection.execute("PRAGMA secure_delete = ON")
        try:
            if self.index_version > INDEX_VERSION:
                raise newer(path, self.index_version)
        except BaseException:
            self.close()
            raise

    @property
    def wiped(self) -> bool:
        """Whether nothing is left of what was forgotten."""
        with Failures(self.path):
            return bool(self._state("wiped"))

    def check(self) -> None:
        """Look at every page of the catalog.

        Raises:
            CatalogDamaged: there is one that is not what was written.
        """
        (found,) = self.rows("PRAGMA quick_check(1)")[0]
        if found != "ok":
            raise unreadable(self.path, found)

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    @property
    def index_version(self) -> int:
        """The version of the segments' form."""
        with Failures(self.path):
            return self._state("index_version")

    @property
    def version(self) -> int:
        """The version of the last commit."""
        with Failures(self.path):
            return self._state("version")

    @contextmanager
    def change(self) -> Iterator[int]:
        """One transaction, kept whole or not at all; gives the version that it brings.

        Raises:
            StoreFull, StoreError: it could not be kept.
        """
        with Failures(self.path):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                self._connection.execute("UPDATE state SET version = version + 1")
                yield self.version
                self._connection.execute("COMMIT")
            finally:
                if self._connection.in_transaction:
                    self._connection.execute("ROLLBACK")

    def rows(self, statement: str, values: Sequence[Any] = ()) -> list[Any]:
        """What a statement finds."""
        with Failures(self.path):
            return self._connection.execute(statement, values).fetchall()

    def run(self, statement: str, values: Sequence[Any] = ()) -> None:
        """Run a statement, inside of `change`."""
        self._connection.execute(statement, values)

    def next_number(self) -> int:
        """The first number that no source has had."""
        with Failures(self.path):
            return self._state("next_source")

    def wipe(self) -> None:
        """Leave nothing of what was forgotten in the file or beside it.

        Raises:
            StoreBusy: a reader holds on to it for too long; the next writer tries again.
        """
        with Failures(self.path):
            self._connection.execute("VACUUM")
            (busy, _, _) = self._connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()
        if busy:
            raise StoreBusy(f"Readers hold on to {self.path}, so what was forgotten is not wiped out of it yet.")
        with self.change():
            self.run("UPDATE state SET wiped = 1")

    def _state(self, column: str) -> int:
        row: tuple[Any] = self._connection.execute(f"SELECT {column} FROM state").fetchone() or (None,)
        if not isinstance(row[0], int):
            raise unreadable(self.path, f"{column} is {row[0]}")
        return row[0]
