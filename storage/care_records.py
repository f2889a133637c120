"""What care of the store finds and does; sizes are bytes on disk."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class StoreSize:
    """How large a store is: its database with the log, what in it is free, and the files of large bodies."""

    database: int = 0
    free: int = 0
    files: int = 0

    @property
    def total(self) -> int:
        """All of it."""
        return self.database + self.files


@dataclass(frozen=True, slots=True)
class Garbage:
    """What nothing refers to: bodies that no record names, files that no body is in, files never finished, free
    pages of the database. `foreign`: files that belong to another store, which are left alone."""

    bodies: int = 0
    body_bytes: int = 0
    files: int = 0
    file_bytes: int = 0
    unfinished: int = 0
    unfinished_bytes: int = 0
    free_bytes: int = 0
    foreign: int = 0
    foreign_bytes: int = 0

    @property
    def bytes(self) -> int:
        """What taking it away frees."""
        return self.body_bytes + self.file_bytes + self.unfinished_bytes + self.free_bytes


@dataclass(frozen=True, slots=True)
class KeptBody:
    """A body as it is kept: `size` bytes of it in `kept` bytes on disk."""

    sha: str
    size: int
    kept: int


@dataclass(frozen=True, slots=True)
class Forgotten:
    """What was forgotten: sessions, bodies, and the bytes that these held."""

    sessions: int = 0
    bodies: int = 0
    bytes: int = 0


@dataclass(frozen=True, slots=True)
class Holder:
    """Who names a body: an output's text, a facet of it, or a block's document (`name` is `text`, the facet's
    name, or `document`; `number` that of the output or block)."""

    session: str
    number: int
    name: str


@dataclass(frozen=True, slots=True)
class Fault:
    """Something that is not as it was written. `sha`: the body it is about, if it is one."""

    what: str
    sha: str = ""
