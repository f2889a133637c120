"""SQLite databases of others, read without a change to any of their files and in nobody's way."""

from __future__ import annotations

import shutil
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from prune_mcp.sessions.model import SessionError

BUSY_SECONDS = 1.0
# What reading a damaged database raises; its own words in a message may be no Unicode.
DAMAGE = (sqlite3.Error, UnicodeDecodeError)


@contextmanager
def connect(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection that reads a database as it is now: one transaction from its first query on, texts as bytes.

    A writer's log is read along (WAL), its index only looked at. A missing database is not made.

    Raises:
        OSError: it is missing or unreadable.
        sqlite3.Error, UnicodeDecodeError (`DAMAGE`): it is no database, damaged, or changed under a reader that
            could not hold on to it.
    """
    with path.open("rb"):
        pass
    log, index = (path.with_name(path.name + ending) for ending in ("-wal", "-shm"))
    if not _size(log):
        with _unlogged(path) as database:
            yield database
    elif index.exists():
        with _opened(path, "mode=ro&readonly_shm=1") as database:
            yield database
    else:
        # The writer died, or the files were copied so: to read the log SQLite must make an index.
        with TemporaryDirectory() as folder:
            for file in (path, log):
                shutil.copyfile(file, Path(folder) / file.name)
            with _opened(Path(folder) / path.name, "mode=rw") as database:
                yield database


@contextmanager
def trouble(path: Path) -> Iterator[None]:
    """Says in a sentence why a database cannot be read.

    Raises:
        SessionError: it cannot.
    """
    try:
        yield
    except FileNotFoundError:
        raise SessionError(f"There is no file {path}; name an existing session file or id.") from None
    except OSError as error:
        raise SessionError(f"{path} cannot be read ({error.strerror}); check its permissions.") from None
    except DAMAGE as error:
        raise SessionError(f"{path} cannot be read as opencode's database ({error}).") from error


def text(value: Any) -> str:
    """A column's text; a damaged one as it stands, with lone surrogates."""
    return value.decode("utf-8", "surrogateescape") if isinstance(value, bytes) else str(value or "")


@contextmanager
def _unlogged(path: Path) -> Iterator[sqlite3.Connection]:
    """A connection to a database that nobody writes to: otherwise SQLite would make a log and an index."""
    before = path.stat()
    with _opened(path, "immutable=1") as database:
        yield database
    after = path.stat()
    if (before.st_mtime_ns, before.st_size, before.st_ino) != (after.st_mtime_ns, after.st_size, after.st_ino):
        raise sqlite3.OperationalError("it changed while it was read; read it again")


@contextmanager
def _opened(path: Path, how: str) -> Iterator[sqlite3.Connection]:
    with closing(sqlite3.connect(f"{path.absolute().as_uri()}?{how}", uri=True, timeout=BUSY_SECONDS)) as database:
        database.text_factory = bytes
        database.isolation_level = None
        database.execute("BEGIN")
        yield database


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except FileNotFoundError:
        return 0
