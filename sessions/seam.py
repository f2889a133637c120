"""Whether a growing file is still the one that was read, up to the place where reading is taken up again."""

from __future__ import annotations

import os
from hashlib import blake2b
from typing import BinaryIO, NamedTuple

from prune_mcp.sessions.tail import WINDOW


class Seam(NamedTuple):
    """A place in a file and what was there: `position` and `size` (as far as it was read) in bytes, the inode, the
    time of change in nanoseconds, and what `WINDOW` bytes at the start and before the place hash to."""

    position: int
    size: int
    inode: int
    changed: int
    head: str
    end: str

    @classmethod
    def at(cls, file: BinaryIO, position: int, size: int) -> Seam:
        """The seam at a place of a file that was read up to `size`."""
        status = os.fstat(file.fileno())
        return cls(position, size, status.st_ino, status.st_mtime_ns, *_windows(file, position))

    def holds(self, file: BinaryIO) -> bool:
        """Whether what was read before is still the start of the file."""
        status = os.fstat(file.fileno())
        if status.st_ino != self.inode or status.st_size < self.size:
            return False
        if status.st_size == self.size and status.st_mtime_ns != self.changed:
            return False
        return _windows(file, self.position) == (self.head, self.end)


def _windows(file: BinaryIO, position: int) -> tuple[str, str]:
    return _hash(file, 0, min(WINDOW, position)), _hash(file, max(0, position - WINDOW), position)


def _hash(file: BinaryIO, start: int, end: int) -> str:
    file.seek(start)
    return blake2b(file.read(end - start), digest_size=16).hexdigest()
