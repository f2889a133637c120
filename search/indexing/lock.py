"""The right to write to the history: one process at a time has it; the system takes it back when that one dies."""

from __future__ import annotations

import json
import os
import sys
import time
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

from prune_mcp.storage.errors import StoreBusy
from prune_mcp.storage.failures import Failures
from prune_mcp.storage.home import private_folder

# On Windows a locked byte cannot be read by others: one far behind what is written there is locked.
FAR = 1 << 30
TURN_SECONDS = 0.02
# How long another writer is waited for, where nothing can be done before; it lets go after its slice.
WAIT_SECONDS = 60.0


class WriterBusy(StoreBusy):
    """Another process writes to the history; the message says which."""


class WriterLock:
    """The lock at `folder`. `take` it, use it as a context, or ask `holder` who has it."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / "writer.lock"
        self._waiting = folder / "writer.next"
        self._file: BinaryIO | None = None

    def take(self, doing: str, wait: float = 0.0) -> None:
        """Take the lock, to do what `doing` says; waits up to `wait` seconds.

        Raises:
            WriterBusy: another one has it.
            StoreFull, StoreError: the folder or the lock's file cannot be made or written.
        """
        private_folder(self._path.parent)
        with Failures(self._path):
            file = _opened(self._path)
            try:
                if not _locked(file) and not self._waited(file, wait):
                    raise WriterBusy(self.holder() or "Another process writes to the history; try again.")
                _sign(file, doing)
            except BaseException:
                file.close()
                raise
            self._file = file

    def release(self) -> None:
        """Let others have the lock."""
        if self._file is not None:
            self._file.close()
            self._file = None

    def wanted(self) -> bool:
        """Whether somebody waits for the lock: who has it for long had better let go."""
        return _held(self._waiting)

    def holder(self) -> str:
        """Who has the lock and what for, in a sentence; "" where nobody has."""
        if not _held(self._path):
            return ""
        try:
            said = json.loads(self._path.read_bytes())
            since = time.strftime("%H:%M:%S", time.localtime(said["since"]))
            return f"Process {said['pid']} is {said['doing']} since {since}."
        except (OSError, ValueError, KeyError, TypeError):
            return "Another process writes to the history."

    def __enter__(self) -> WriterLock:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.release()

    def _waited(self, file: BinaryIO, wait: float) -> bool:
        if wait <= 0:
            return False
        deadline = time.monotonic() + wait
        with _opened(self._waiting) as sign:
            signed = False
            while time.monotonic() < deadline:
                # Whoever has the lock sees by this second one that somebody waits.
                signed = signed or _locked(sign)
                time.sleep(TURN_SECONDS)
                if _locked(file):
                    return True
        return False


def _sign(file: BinaryIO, doing: str) -> None:
    """Say in the lock's file who has it."""
    file.seek(0)
    file.truncate()
    file.write(json.dumps({"pid": os.getpid(), "doing": doing, "since": int(time.time())}).encode())


def _opened(path: Path) -> BinaryIO:
    return os.fdopen(os.open(path, os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0), 0o600), "r+b", buffering=0)


def _held(path: Path) -> bool:
    """Whether anyone has the lock on a file, this process included."""
    try:
        with path.open("r+b", buffering=0) as file:
            return not _locked(file)
    except OSError:
        return False


if sys.platform == "win32":
    import msvcrt

    def _locked(file: BinaryIO) -> bool:
        """Lock an open file, if nobody else has; the lock goes when it is closed."""
        file.seek(FAR)
        try:
            msvcrt.locking(file.fileno(), msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True
else:
    import fcntl

    def _locked(file: BinaryIO) -> bool:
        """Lock an open file, if nobody else has; the lock goes when it is closed."""
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return False
        return True
