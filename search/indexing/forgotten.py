"""What was forgotten: the hashes of sessions and of files that must not come back into the index by themselves."""

from __future__ import annotations

import os
from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

from prune_mcp.sessions.session_file import SessionFile
from prune_mcp.storage.bodies import settle
from prune_mcp.storage.codec import encode
from prune_mcp.storage.errors import StoreError
from prune_mcp.storage.failures import Failures
from prune_mcp.storage.home import private_folder

# What the hashes are of.
FILE, SESSION = "file:", "session:"


class Forgotten:
    """The forgotten sessions as the file at `path` tells them, one hash a line; no file means none.

    Its length is how many sessions they are.
    """

    def __init__(self, path: Path) -> None:
        self._path = path
        self._stamp: tuple[int, int, int] | None = None
        self._hashes: frozenset[str] = frozenset()

    def refresh(self) -> None:
        """Read the file anew where it has changed.

        Raises:
            StoreError: it cannot be read.
        """
        try:
            with Failures(self._path):
                status = self._path.stat()
        except StoreError as error:
            if not isinstance(error.__cause__, FileNotFoundError):
                raise
            self._stamp, self._hashes = None, frozenset()
            return
        stamp = status.st_ino, status.st_mtime_ns, status.st_size
        if stamp != self._stamp:
            with Failures(self._path):
                self._hashes = frozenset(self._path.read_text(encoding="ascii", errors="replace").split())
            self._stamp = stamp

    def holds(self, file: SessionFile) -> bool:
        """Whether this file, or the session in it, was forgotten."""
        if not self._hashes:
            return False
        return self.holds_file(*file.place) or self.holds_session(file.host, file.id)

    def holds_file(self, path: str, inside: str) -> bool:
        """Whether what stands at this path was forgotten."""
        return bool(self._hashes) and file_hash(path, inside) in self._hashes

    def holds_session(self, host: str, session: str) -> bool:
        """Whether this session was forgotten."""
        return bool(self._hashes) and session_hash(host, session) in self._hashes

    def __len__(self) -> int:
        return sum(each.startswith(SESSION) for each in self._hashes)

    def add(self, hashes: Iterable[str]) -> None:
        """Forget these as well.

        Raises:
            StoreFull, StoreError: the file cannot be written; nothing of it has changed then.
        """
        self.refresh()
        self._write(self._hashes | set(hashes))

    def remove(self, hashes: Iterable[str]) -> None:
        """Let these come back.

        Raises:
            StoreFull, StoreError: as `add`.
        """
        self.refresh()
        self._write(self._hashes - set(hashes))

    def _write(self, hashes: frozenset[str]) -> None:
        private_folder(self._path.parent)
        new = self._path.with_name(self._path.name + ".new")
        with Failures(self._path):
            with os.fdopen(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb", buffering=0) as file:
                file.write("\n".join(sorted(hashes)).encode())
                os.fsync(file.fileno())
            new.replace(self._path)
            settle(self._path.parent)
        self.refresh()


def file_hash(path: str, inside: str) -> str:
    """What is remembered of a file."""
    return FILE + _hash(path, inside)


def session_hash(host: str, session: str) -> str:
    """What is remembered of a session."""
    return SESSION + _hash(host, session)


def _hash(*parts: str) -> str:
    return sha256(b"\0".join(map(encode, parts))).hexdigest()
