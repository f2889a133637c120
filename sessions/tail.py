"""A growing file of lines: what was appended since the last reading, and whether the part read still stands.

A compressed file is read as what it holds; it never grows, only becomes another one.
"""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from stat import S_ISDIR, S_ISREG
from typing import BinaryIO

from prune_mcp.sessions.jsontext import loads
from prune_mcp.sessions.model import SessionError
from prune_mcp.sessions.unpacked import is_packed, unpacked

WINDOW = 4096
CHUNK = 1 << 18


class Tail:
    """Reads lines from where the last reading ended. `position` counts the bytes read so far.

    The start and the end of the part already read are kept and compared each time, so that a file that was
    truncated, grew again or was replaced is noticed even when its size or its times are the same.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self.restart()

    def restart(self) -> None:
        """Forget what was read: the next reading starts at the first byte."""
        self.position = self._start = 0
        self._pending = b""
        self._head = b""
        self._end = b""
        self._stamp: tuple[int, ...] = ()

    def begin(self, position: int) -> None:
        """Start at a place of the file: what stands before it was read by another."""
        self.restart()
        self.position = self._start = position

    def open(self) -> BinaryIO:
        """The file, opened for reading only.

        Raises:
            SessionError: it is missing, a folder, a pipe or a device, or unreadable.
        """
        refuse_endless(self.path)
        try:
            return unpacked(self.path) if is_packed(self.path) else self.path.open("rb", buffering=0)
        except FileNotFoundError:
            raise SessionError(f"There is no file {self.path}; name an existing session file or id.") from None
        except (IsADirectoryError, PermissionError) as error:
            if self.path.is_dir():
                raise SessionError(f"{self.path} is a folder; name a session file inside it.") from None
            raise SessionError(f"{self.path} cannot be read ({error.strerror}); check its permissions.") from None
        except OSError as error:
            raise SessionError(f"{self.path} cannot be read ({error.strerror}).") from None

    def continues(self, file: BinaryIO) -> bool:
        """Whether the part read so far is still the start of the file."""
        if not self.position:
            return True
        status = os.fstat(file.fileno())
        if is_packed(self.path):
            return (status.st_dev, status.st_ino, status.st_mtime_ns, status.st_ctime_ns) == self._stamp
        if status.st_size < self.position or (status.st_dev, status.st_ino) != self._stamp[:2]:
            return False
        if status.st_size == self.position and (status.st_mtime_ns, status.st_ctime_ns) != self._stamp[2:]:
            return False
        file.seek(self._start)
        if file.read(len(self._head)) != self._head:
            return False
        file.seek(self.position - len(self._end))
        return file.read(len(self._end)) == self._end

    def lines(self, file: BinaryIO, chunk_size: int = CHUNK) -> Iterator[tuple[int, bytes]]:
        """(offset, line without its newline) of every complete line appended; a half-written last line waits."""
        start = self.position - len(self._pending)
        pieces = [self._pending]
        file.seek(self.position)
        while chunk := file.read(chunk_size):
            self._advance(chunk)
            first, *rest = chunk.split(b"\n")
            pieces.append(first)
            if not rest:
                continue
            line = b"".join(pieces)
            yield start, line
            start += len(line) + 1
            for line in rest[:-1]:
                yield start, line
                start += len(line) + 1
            pieces = [rest[-1]]
        self._pending = b"".join(pieces)
        # Nothing comes after the end of a compressed file.
        if _whole(self._pending) or (self._pending and is_packed(self.path)):
            yield start, self._pending
            self._pending = b""
        status = os.fstat(file.fileno())
        self._stamp = (status.st_dev, status.st_ino, status.st_mtime_ns, status.st_ctime_ns)

    def _advance(self, chunk: bytes) -> None:
        self.position += len(chunk)
        if len(self._head) < WINDOW:
            self._head = (self._head + chunk[:WINDOW])[:WINDOW]
        self._end = chunk[-WINDOW:] if len(chunk) >= WINDOW else (self._end + chunk)[-WINDOW:]


def refuse_endless(path: Path) -> None:
    """Refuse what may have no end, or no beginning until somebody writes to it: to open it could take for ever.

    Raises:
        SessionError: it is a pipe, a socket or a device.
    """
    try:
        mode = path.stat().st_mode
    except OSError:
        # Opening it tells why in better words.
        return
    if not (S_ISREG(mode) or S_ISDIR(mode)):
        raise SessionError(f"{path} is a pipe, a socket or a device and no file; name a file.")


def _whole(line: bytes) -> bool:
    """Whether a last line without newline is complete: an object that ends cannot be continued."""
    if not line.rstrip().endswith(b"}"):
        return False
    try:
        return isinstance(loads(line), dict)
    except ValueError:
        return False
