"""The catalog as readers see it: which sources, packs and segments there are, at one moment."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from prune_mcp.search.catalog.schema import INDEX_VERSION, LIVE, MIGRATIONS
from prune_mcp.search.catalog.source import RECORD_COLUMNS, record_from, stamp_from
from prune_mcp.search.rows import SourceRecord
from prune_mcp.storage.connection import connect, view
from prune_mcp.storage.errors import StoreBusy, StoreError, StoreFull, StoreNewer
from prune_mcp.storage.failures import Failures, unwritable
from prune_mcp.storage.migrations import version_of
from prune_mcp.storage.rows import given

Key = tuple[str, str]

TIMEOUT = 10.0
ANEW = "The next indexing sets it aside and makes a new one (prune-mcp index)."
# What SQLite says of a file that it cannot make out, or that lacks a table.
BROKEN = (sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_FORMAT)

STATES = "SELECT number, mark FROM sources WHERE changed <= ? AND number IN (SELECT value FROM json_each(?))"


class CatalogDamaged(StoreError):
    """The catalog cannot be read; the next writer sets it aside and makes a new one."""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The catalog at one moment; nothing in it changes any more.

    `opened`: tells catalog files that took each other's place apart. `segments`: (name, bytes) of each shard's.
    `packs`: the generation of each shard's. `skipped`: the stamps of the files that could not be read, by (path,
    inside).
    """

    opened: int = 0
    version: int = 0
    epoch: int = 0
    sources: Mapping[int, SourceRecord] = field(default_factory=dict)
    tools: Sequence[str] = ("",)
    segments: Mapping[str, Sequence[tuple[str, int]]] = field(default_factory=dict)
    packs: Mapping[str, int] = field(default_factory=dict)
    skipped: Mapping[Key, tuple[int, ...]] = field(default_factory=dict)


class Catalog:
    """The catalog at `path`, for reading; not for several threads at once. No catalog reads as an empty one."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._connection: sqlite3.Connection | None = None
        self._place = (0, 0)
        self._opened = 0
        self._data_version = -1
        self._last = Snapshot()

    def snapshot(self) -> Snapshot:
        """The catalog now; the very same object as long as nothing changed.

        Raises:
            StoreNewer: a newer version wrote it.
            CatalogDamaged: it is no catalog, or damaged.
            StoreError: it cannot be read.
        """
        try:
            with Failures(self._path):
                return self._refreshed()
        except StoreError as error:
            self.close()
            if damaged(error):
                why = error.__cause__ or error
                raise CatalogDamaged(f"The catalog {self._path} is damaged ({why}). {ANEW}") from error
            raise
        except (ValueError, TypeError) as error:
            self.close()
            raise unreadable(self._path, str(error)) from error

    def rows(self, statement: str, values: Sequence[Any] = ()) -> list[Any]:
        """What a reading statement finds; nothing where there is no catalog.

        Raises:
            StoreError: it cannot be read.
        """
        self.snapshot()
        if self._connection is None:
            return []
        with Failures(self._path):
            return self._connection.execute(statement, values).fetchall()

    def states(self, numbers: Sequence[int], version: int) -> dict[int, str]:
        """The states of these sources' marks, but for those that changed after this version.

        Raises:
            StoreError: they cannot be read.
        """
        return {number: given(state) for number, state in self.rows(STATES, (version, json.dumps(numbers)))}

    def close(self) -> None:
        """Close the file."""
        if self._connection is not None:
            self._connection.close()
            self._connection = None
        self._data_version = -1

    def _refreshed(self) -> Snapshot:
        if not self._open():
            self._last = Snapshot(opened=self._opened)
            return self._last
        assert self._connection is not None
        (data_version,) = self._connection.execute("PRAGMA data_version").fetchone()
        if data_version != self._data_version:
            self._last = self._read(self._connection)
            self._data_version = data_version
        return self._last

    def _open(self) -> bool:
        """Whether there is a catalog; it is opened, again where another one took its place."""
        try:
            status = self._path.stat()
        except FileNotFoundError:
            self.close()
            if self._path.is_symlink():
                # What it stood for may only be out of reach for now, as a disk that is not mounted is.
                raise
            return False
        place = status.st_dev, status.st_ino
        if self._connection is not None and place == self._place:
            return True
        self.close()
        if not status.st_size:
            return False
        self._connection, kept = self._connected()
        # Without the right or the room to write, what others write later is not seen: it is opened each time.
        self._place = place if kept else (0, 0)
        self._opened += 1
        self._last = Snapshot(opened=self._opened)
        if version_of(self._connection):
            return True
        # Whoever made it found no room: nothing stands in it yet, not even tables.
        self.close()
        return False

    def _connected(self) -> tuple[sqlite3.Connection, bool]:
        """The catalog opened, and whether it can stay so."""
        try:
            return connect(self._path, TIMEOUT, MIGRATIONS), True
        except sqlite3.Error as error:
            if not unwritable(error):
                raise
            return view(self._path, TIMEOUT, len(MIGRATIONS)), False

    def _read(self, connection: sqlite3.Connection) -> Snapshot:
        connection.execute("BEGIN")
        try:
            version, epoch, index_version = connection.execute(
                "SELECT version, epoch, index_version FROM state"
            ).fetchone()
            if index_version > INDEX_VERSION:
                raise newer(self._path, index_version)
            last = self._last if self._last.epoch == epoch else Snapshot(opened=self._opened)
            return Snapshot(
                self._opened,
                version,
                epoch,
                _sources(connection, last),
                _tools(connection),
                _segments(connection) if index_version == INDEX_VERSION else {},
                dict(connection.execute("SELECT shard, generation FROM packs")),
                skipped_in(connection),
            )
        finally:
            connection.execute("ROLLBACK")


def unreadable(path: Path, what: str) -> CatalogDamaged:
    """The error about a catalog with values that are none of ours."""
    return CatalogDamaged(f"The catalog {path} is damaged: it holds a value that makes no sense ({what}).")


def newer(path: Path, version: int) -> StoreNewer:
    """The refusal of an index that a newer version wrote."""
    return StoreNewer(
        f"The history {path} has an index of version {version} and this prune-mcp knows versions up to "
        f"{INDEX_VERSION}: update prune-mcp to use it; nothing was read or written."
    )


def damaged(error: StoreError) -> bool:
    """Whether an error tells that the catalog's file itself is no good."""
    cause = error.__cause__
    if isinstance(error, CatalogDamaged):
        return True
    if isinstance(error, StoreNewer | StoreFull | StoreBusy) or isinstance(cause, OSError):
        return False
    # Without a cause it is one of our own checks that failed: another program's file, or none at all.
    return not isinstance(cause, sqlite3.Error) or _code(cause) in BROKEN


def _code(error: sqlite3.Error) -> int:
    return getattr(error, "sqlite_errorcode", sqlite3.SQLITE_CORRUPT) & 0xFF


def _sources(connection: sqlite3.Connection, last: Snapshot) -> dict[int, SourceRecord]:
    """The live sources, with only what changed since `last` read anew."""
    sources = dict(last.sources)
    changed = f"SELECT {RECORD_COLUMNS}, status FROM sources WHERE changed > ?"
    for *row, status in connection.execute(changed, (last.version,)):
        if status == LIVE:
            sources[row[0]] = record_from(row)
        else:
            sources.pop(row[0], None)
    return sources


def _tools(connection: sqlite3.Connection) -> list[str]:
    tools = [""]
    for number, name in connection.execute("SELECT number, name FROM tools ORDER BY number"):
        tools += [""] * (number - len(tools)) + [given(name)]
    return tools


def _segments(connection: sqlite3.Connection) -> dict[str, list[tuple[str, int]]]:
    segments: dict[str, list[tuple[str, int]]] = {}
    statement = "SELECT shard, name, bytes FROM segments ORDER BY shard DESC, name"
    for shard, name, size in connection.execute(statement):
        segments.setdefault(shard, []).append((name, size))
    return segments


def skipped_in(connection: sqlite3.Connection) -> dict[Key, tuple[int, ...]]:
    """The stamps of the files that could not be read, by (path, inside)."""
    rows = connection.execute("SELECT path, inside, stamp FROM skipped")
    return {(given(path), given(inside)): stamp_from(stamp) for path, inside, stamp in rows}
