"""A source as the catalog keeps it: what `SourceRecord` tells, and what only the one who writes needs to know."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import Any

import orjson

from prune_mcp.search.catalog.schema import UNFINISHED
from prune_mcp.search.rows import SourceRecord
from prune_mcp.sessions.history import History, Mark
from prune_mcp.sessions.session_file import SessionFile
from prune_mcp.storage.rows import kept, restored

NO_MARK = Mark(0, ())


@dataclass(slots=True)
class Source:
    """One source. `held`: how many passages behind the mark are in already, since the file was at rest; `waiting`:
    how large the file was (bytes) where that is not all of them, else 0. `bytes`: of its texts. `status`: `LIVE`
    or `UNFINISHED`. `named`: the session's id as its file's place tells it. `damage`: what could not be read of
    it, see `History.skipped`; None where it was not read now.
    """

    number: int
    path: str
    inside: str
    host: str
    session: str = ""
    parent: str = ""
    cwd: str = ""
    project: str = ""
    title: str = ""
    first: int = 0
    last: int = 0
    passages: int = 0
    mark: Mark = NO_MARK
    waiting: int = 0
    gone: bool = False
    held: int = 0
    bytes: int = 0
    status: int = UNFINISHED
    named: str = ""
    damage: Mapping[str, int] | None = None

    @classmethod
    def of(cls, number: int, file: SessionFile) -> Source:
        """A source of which only its file is known."""
        named = file.named
        return cls(number, file.filename, file.inside, file.host, named, project=file.project, named=named)

    def learn(self, history: History, masked: str) -> None:
        """Take over what a reading says of its session; `masked` is its title without secrets."""
        self.host = history.host
        self.session = history.session or self.session
        self.parent = history.parent or self.parent
        self.cwd = history.cwd or self.cwd
        self.title = masked or self.title
        self.damage = {kind: count for kind, count in history.skipped.items() if count}

    def saw(self, time: int, size: int) -> None:
        """Count a passage of this time (seconds since the epoch, 0 unknown) and size (bytes)."""
        self.passages += 1
        self.bytes += size
        if time:
            self.first = min(self.first or time, time)
            self.last = max(self.last, time)


COLUMNS = (
    "number, path, inside, host, session, parent, cwd, project, title, first, last, passages, "
    "position, stamp, waiting, gone, held, mark, bytes, status, named"
)
# Of these the first make a SourceRecord, and so many come after them. The state of a mark may be long, and few are
# ever needed.
RECORD_COLUMNS = COLUMNS.partition(", mark")[0]
AFTER_RECORD = 4
_BEFORE_MARK = [one.name for one in fields(Source)].index("mark")


def row_of(source: Source) -> tuple[Any, ...]:
    """The values of `COLUMNS`."""
    before = [kept(value) if isinstance(value, str) else value for value in _fields(source)[:_BEFORE_MARK]]
    mark = source.mark
    seen = mark.position, json.dumps(mark.stamp), source.waiting, source.gone, source.held
    return (*before, *seen, kept(mark.state), source.bytes, source.status, kept(source.named))


def source_from(row: tuple[Any, ...]) -> Source:
    """A source from the values of `COLUMNS`."""
    record: tuple[Any, ...] = record_from(row[:-AFTER_RECORD])
    *before, position, stamp, waiting, gone, held = record
    state, *after = restored(row[-AFTER_RECORD:])
    return Source(*[*before, Mark(position, stamp, state), waiting, gone, held, *after])


def record_from(row: tuple[Any, ...]) -> SourceRecord:
    """A source as readers see it, from the values of `RECORD_COLUMNS`."""
    *before, stamp, waiting, gone, held = restored(row)
    return SourceRecord._make((*before, stamp_from(stamp), waiting, bool(gone), held))


def stamp_from(kept: str) -> tuple[int, ...]:
    """A stamp as it is kept."""
    return tuple(orjson.loads(kept))


def record_of(source: Source) -> SourceRecord:
    """A source as readers see it."""
    return record_from(row_of(source)[:-AFTER_RECORD])


def _fields(source: Source) -> tuple[Any, ...]:
    return tuple(getattr(source, one.name) for one in fields(source))
