"""What SQLite and the operating system report, said as store errors."""

from __future__ import annotations

import sqlite3
from pathlib import Path
from types import TracebackType

from prune_mcp.storage.errors import MOVE, StoreBusy, StoreError, StoreFull
from prune_mcp.storage.home import NO_SPACE, VARIABLE
from prune_mcp.storage.ways_out import in_words

# A file size limit or a quota reaches SQLite as a failed write, not as a full disk.
FULL = (
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR_WRITE,
    sqlite3.SQLITE_IOERR_SHMOPEN,
    sqlite3.SQLITE_IOERR_SHMSIZE,
    sqlite3.SQLITE_IOERR_TRUNCATE,
)
BUSY = (sqlite3.SQLITE_BUSY, sqlite3.SQLITE_LOCKED)
CLOSED = (sqlite3.SQLITE_CANTOPEN, sqlite3.SQLITE_READONLY, sqlite3.SQLITE_PERM, sqlite3.SQLITE_AUTH)


class Failures:
    """A context in which errors of SQLite and the system become `StoreError`s about the store at `path`."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __enter__(self) -> None:
        return None

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, sqlite3.Error):
            raise from_sqlite(error, self.path) from error
        if isinstance(error, UnicodeDecodeError):
            # Damaged names and messages reach Python as text that cannot be decoded.
            raise StoreError(f"The store {self.path} is damaged ({error}). {MOVE}") from error
        if isinstance(error, OSError):
            raise from_system(error, self.path) from error


def unwritable(error: sqlite3.Error) -> bool:
    """Whether SQLite failed because it may not write or has no space to; reading may still be possible."""
    code = getattr(error, "sqlite_errorcode", 0)
    return code in FULL or code & 0xFF in CLOSED


def from_sqlite(error: sqlite3.Error, path: Path) -> StoreError:
    """The store error that stands for what SQLite said about the store at `path`."""
    code = getattr(error, "sqlite_errorcode", 0)
    primary = code & 0xFF
    if code in FULL:
        return StoreFull(f"The store {path} cannot grow ({error}). Free disk space and try again. {KEPT}")
    if primary in BUSY:
        return StoreBusy(
            f"The store {path} is locked by another process for too long ({error}). Try again, or end the "
            f"process that holds it. {KEPT}"
        )
    if primary == sqlite3.SQLITE_NOTADB:
        return StoreError(f"{path} is not a store of prune-mcp ({error}). {MOVE}")
    if primary == sqlite3.SQLITE_CORRUPT:
        return StoreError(f"The store {path} is damaged ({error}). {MOVE}")
    if primary in CLOSED:
        return StoreError(
            f"The store {path} cannot be opened or written ({error}). Give yourself read and write rights on "
            f"it and on its folder, or set {VARIABLE} to a folder you can write to."
        )
    if primary == sqlite3.SQLITE_CONSTRAINT:
        return StoreError(f"A record names something that the store {path} has not ({error}). {KEPT}")
    return StoreError(
        f"The store {path} cannot be used ({error}). Try again; if that fails as well, check the disk it stands "
        f"on, or put a good copy in its place. {KEPT}"
    )


def from_system(error: OSError, path: Path) -> StoreError:
    """The store error that stands for a failed call of the system on a file of the store at `path`."""
    where = error.filename or f"A file in {path.parent}"
    if error.errno in NO_SPACE:
        return StoreFull(f"{in_words(error, str(where))} {KEPT}")
    return StoreError(in_words(error, str(where)))


KEPT = "Nothing of this write was kept; everything before it is."
