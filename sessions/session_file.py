"""A session's file as it is found on disk, known by its place before any of it is read."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING

from prune_mcp.sessions.unpacked import is_packed, unpacked

if TYPE_CHECKING:
    from prune_mcp.sessions.reader import Reader

HEAD = 1 << 17
END = 1 << 15
# Headers may be large; pi itself looks no further for its own.
LARGEST_HEAD = 1 << 20


@dataclass
class SessionFile:
    """A session file. `filename`: its path as text. `mtime`: seconds since the epoch, `size`: bytes.

    `named`: the session's id and `project`: the name of the folder's project, as far as the place tells them.
    `inside`: which of several sessions in one file (a database) this is, "" where the file is the session; then
    `mtime` and `size` are that session's own. `stamp`: what changes whenever the session does. `parent`: the
    session that this one is a subagent of, where the place tells.
    """

    host: str
    filename: str
    mtime: float
    size: int
    named: str = ""
    project: str = ""
    inside: str = ""
    stamp: tuple[int, ...] = ()
    parent: str = ""

    @cached_property
    def path(self) -> Path:
        """The path; made when it is asked for, since that takes longer than finding the file."""
        return Path(self.filename)

    @property
    def place(self) -> tuple[str, str]:
        """The file's path and what it is inside of that, which tells it from all others."""
        return self.filename, self.inside

    @property
    def address(self) -> Path:
        """The path that names the session: one of several in a file is named as if that were a folder."""
        return self.path / self.inside if self.inside else self.path

    @property
    def id(self) -> str:
        """The session's id; a subagent's is `<session>/agent-<id>`."""
        return self.named or (self._glimpse.session if self._glimpse else self.path.stem)

    @property
    def also(self) -> str:
        """Another id that the file's start tells, "" for none: a copy can have another name than its session."""
        # Only what Codex names after a session tells its own id again.
        return self._first.also if self.host == "codex" and self._first else ""

    @property
    def cwd(self) -> str:
        """The folder the session was started in, "" where the file does not tell."""
        return (self._first.cwd if self._first else "") or (self._glimpse.cwd if self._glimpse else "")

    @property
    def title(self) -> str:
        """What the session is called, else its first prompt; "" where neither is near the file's start or end."""
        return self._glimpse.told_title if self._glimpse else ""

    @property
    def subagent(self) -> bool:
        """Whether this is a subagent's file, as far as the place or the file's start tells."""
        if self.parent or self.path.name.startswith("agent-"):
            return True
        # Codex puts all sessions into one place.
        return self.host == "codex" and self._glimpse is not None and self._glimpse.subagent

    def stands_in(self, folder: Path) -> bool:
        """Whether the session was started in this folder."""
        names = {str(folder), os.path.realpath(folder)}
        if self.project:
            hashes = {sha256(os.fsencode(name)).hexdigest() for name in names}
            return self.project in hashes or _plain(self.project) in {_plain(name) for name in names}
        return self.cwd in names

    @cached_property
    def _first(self) -> Reader | None:
        """The session as far as the first line tells it, which is read much sooner than the whole start."""
        from prune_mcp.sessions.hosts import reader_of
        from prune_mcp.sessions.model import SessionError

        try:
            line, end, _ = (b"" if self.inside else self._read(0, HEAD)).partition(b"\n")
            reader = reader_of(line + end) if end else None
            return reader(self.path).peek([line]) if reader else None
        except (OSError, SessionError):
            return None

    @cached_property
    def _glimpse(self) -> Reader | None:
        """The session as far as the file's start and end tell it, or None where that is no session."""
        from prune_mcp.sessions.hosts import reader_for, reader_of
        from prune_mcp.sessions.model import SessionError

        try:
            if self.inside:
                return reader_for(self.address)(self.address).peek(())
            head = self._read(0, HEAD)
            if b"\n" not in head or not reader_of(head):
                head = self._read(0, LARGEST_HEAD)
            reader = reader_of(head)
            return reader(self.path).peek(self._whole(head) + self._end()) if reader else None
        except (OSError, SessionError):
            return None

    def _whole(self, head: bytes) -> list[bytes]:
        """The lines of the file's start, but for a last one that goes on; an only one may be a document."""
        lines = head.split(b"\n")
        return lines[:-1] if len(head) < self.size and len(lines) > 1 else lines

    def _end(self) -> list[bytes]:
        if self.size <= HEAD + END or is_packed(self.path):
            return []
        return self._read(self.size - END, END).split(b"\n")[1:]

    def _read(self, start: int, size: int) -> bytes:
        with unpacked(self.path) if is_packed(self.path) else self.path.open("rb") as file:
            file.seek(start)
            return file.read(size)


def file_of(address: Path) -> Path:
    """The file that an address names, or that the session named by it is in; see `SessionFile.address`."""
    return address.parent if not address.exists() and address.parent.is_file() else address


def _plain(name: str) -> str:
    """A folder's name as all hosts can write it: they put hyphens for separators, each in its own way."""
    return re.sub(r"[^A-Za-z0-9]+", "-", name).strip("-")


def uuid_in(name: str) -> str:
    """The id that a file's name tells: hosts write uuids there, whatever else it is may be anything."""
    stem = name.removesuffix(".jsonl")
    return stem if is_uuid(stem) else ""


def is_uuid(name: str) -> bool:
    """Whether a name has the form of a uuid."""
    return len(name) == 36 and name.count("-") == 4
