"""Packs: the files that keep every passage's text, in frames. They only grow, and are written anew to forget."""

from __future__ import annotations

import contextlib
import errno
import os
import threading
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

from prune_mcp.search.packs.frame import MAGIC, PREFIX, FrameDamaged, length
from prune_mcp.storage.bodies import settle
from prune_mcp.storage.home import private_folder

OPENING = b"PRUNEPK1"
# Most frames are read whole at once with this many bytes.
FIRST_READ = 1 << 15
SCAN_CHUNK = 1 << 20


class Packs:
    """Packs open for reading, each as long as it is asked for; usable from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._files: dict[Path, BinaryIO] = {}

    def read(self, path: Path, start: int) -> bytes:
        """The bytes of the frame at `start`.

        Raises:
            FrameDamaged: there is no such pack, or no frame there.
        """
        where = f"byte {start} of {path}"
        with self._lock:
            try:
                file = self._opened(path)
                file.seek(start)
                data = file.read(FIRST_READ)
                size = length(data, where)
                while len(data) < size and (more := file.read(size - len(data))):
                    data += more
            except OSError as error:
                raise FrameDamaged(f"The frame at {where} cannot be read ({error.strerror}).") from error
        return data[:size]

    def close(self) -> None:
        """Close what is open."""
        with self._lock:
            for file in self._files.values():
                file.close()
            self._files.clear()

    def keep_only(self, paths: set[Path]) -> None:
        """Close all but these."""
        with self._lock:
            for path in [path for path in self._files if path not in paths]:
                self._files.pop(path).close()

    def _opened(self, path: Path) -> BinaryIO:
        file = self._files.get(path)
        if file is None:
            try:
                file = path.open("rb", buffering=0)
            except OSError as error:
                if error.errno != errno.EMFILE or not self._files:
                    raise
                # As many are open as this process may have: the others can be opened again.
                for other in self._files.values():
                    other.close()
                self._files.clear()
                file = path.open("rb", buffering=0)
            self._files[path] = file
        return file


class PackEnd:
    """The end of a pack, open for writing behind its first `size` bytes (0: a new pack); what is behind them goes.

    Raises:
        OSError: the file cannot be opened or written.
    """

    def __init__(self, path: Path, size: int) -> None:
        self._path = path
        private_folder(path.parent)
        self._made = size == 0
        flags = os.O_RDWR | os.O_CREAT | getattr(os, "O_BINARY", 0)
        self._file = os.fdopen(os.open(path, flags, 0o600), "r+b", buffering=1 << 20)
        self._file.truncate(size)
        self._file.seek(size)
        self.size = size
        if self._made:
            self._append(OPENING)

    def add(self, frame: bytes) -> int:
        """Append a frame; returns where it begins."""
        start = self.size
        self._append(frame)
        return start

    def sync(self) -> None:
        """Push what was appended to the disk."""
        self._file.flush()
        os.fsync(self._file.fileno())
        if self._made:
            settle(self._path.parent)

    def close(self) -> None:
        """Close the file; what could not be written is given up."""
        try:
            self._file.close()
        except OSError:
            # Closing writes what is left over: on a full disk that fails, and the file is closed all the same.
            return

    def cut(self, size: int) -> None:
        """After `close`: let the file end at `size` bytes again, as far as the system lets us; 0 takes it away."""
        with contextlib.suppress(OSError):
            os.truncate(self._path, size) if size else self._path.unlink()

    def _append(self, data: bytes) -> None:
        self._file.write(data)
        self.size += len(data)


def scan(path: Path, start: int = 0) -> Iterator[tuple[int, bytes]]:
    """Each (start, bytes) of a pack that may be a frame, from a byte of it on; the rest is passed over.

    Raises:
        OSError: the file cannot be read.
    """
    with path.open("rb") as file:
        end = os.fstat(file.fileno()).st_size
        while (found := _next(file, start)) is not None:
            file.seek(found)
            try:
                size = length(file.read(PREFIX.size), "")
            except FrameDamaged:
                size = 0
            if size and found + size <= end:
                file.seek(found)
                yield found, file.read(size)
            start = found + max(size, 1) if found + size <= end else found + 1


def _next(file: BinaryIO, start: int) -> int | None:
    """Where the next frame seems to begin, from `start` on."""
    file.seek(start)
    data = file.read(SCAN_CHUNK)
    while len(data) >= len(MAGIC):
        if (found := data.find(MAGIC)) >= 0:
            return start + found
        keep = len(MAGIC) - 1
        start += len(data) - keep
        data = data[-keep:] + file.read(SCAN_CHUNK)
    return None
