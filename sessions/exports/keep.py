"""Keeping conversations from exports: each written whole, for its owner alone, and anew when it changed."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path
from typing import Literal

from prune_mcp.sessions.exports.imported import ENDINGS
from prune_mcp.sessions.exports.kinds import Kept, kept_as
from prune_mcp.sessions.jsontext import loads
from prune_mcp.sessions.model import SessionError

Outcome = Literal["added", "updated", "unchanged"]


class Imports:
    """A folder of imports that is being added to."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._written: list[Path] = []

    def keep(self, kept: Kept, data: bytes, mtime: float, whole: bool = True) -> Outcome:
        """Keep a conversation, or what changed of it; an older copy, or a damaged one, changes nothing.

        `mtime`: seconds since the epoch, for a conversation that does not tell when it changed.

        Raises:
            OSError: it cannot be written; what was there before stays.
        """
        path = self.folder / kept.host / f"{kept.id}{ENDINGS[kept.host]}"
        try:
            before = path.read_bytes()
        except FileNotFoundError:
            before = b""
        if before and (before == data or not whole or _updated(before, kept) > kept.updated > 0):
            return "unchanged"
        _write(path, data, kept.updated or mtime)
        self._written.append(path)
        return "updated" if before else "added"

    def sync(self) -> None:
        """Wait until all that was kept is on the disk, which is far faster at the end than one by one.

        Raises:
            OSError: the disk failed.
        """
        for path in self._written:
            with path.open("r+b") as file:
                os.fsync(file.fileno())
        self._written.clear()


def _updated(data: bytes, kept: Kept) -> float:
    try:
        return kept_as(loads(data), kept.id).updated
    except (ValueError, SessionError):
        return 0.0


def _write(path: Path, data: bytes, mtime: float) -> None:
    """Write a file whole or not at all, for its owner alone."""
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".")
    try:
        with os.fdopen(handle, "wb") as file:
            file.write(data)
        os.utime(name, (mtime, mtime))
        Path(name).replace(path)
    except BaseException:
        Path(name).unlink(missing_ok=True)
        raise
