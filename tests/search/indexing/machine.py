"""A machine with sessions and an index, and what is known of them: as read anew, and as the index tells it."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple

from prune_mcp.search.index import Index
from prune_mcp.search.indexing.indexer import Indexer
from prune_mcp.search.indexing.pending import Pending
from prune_mcp.search.indexing.progress import IndexReport
from prune_mcp.search.packs.frame import flags_of
from prune_mcp.search.rows import IndexView, Row
from prune_mcp.search.secrets.masking import mask
from prune_mcp.search.watch import Watch, watch
from prune_mcp.sessions.history import read_history
from prune_mcp.sessions.passage import SPEAKERS, Passage
from prune_mcp.sessions.session_file import SessionFile
from prune_mcp.storage.home import home
from tests.sessions.transcripts.writing import ClaudeFile

LONG_AGO = 30 * 86400


class Told(NamedTuple):
    """A passage as anyone tells it."""

    entry: str
    at: int
    role: str
    text: str
    tool: str
    time: float
    flags: int


class Machine:
    """A user's machine in a folder: sessions below `user`, our own files below `ours`."""

    def __init__(self, folder: Path, ours: str = "prune") -> None:
        self.user = folder / "user"
        self.env = {"HOME": str(self.user), "PRUNE_MCP_HOME": str(folder / ours)}
        self.home = home(self.env)
        self.index = Index(self.home)
        self._watch: Watch = watch(self.env)

    def session(self, number: int, project: str = "-home-user-app") -> ClaudeFile:
        """The transcript of a session of Claude Code, made when it is missing."""
        id = f"{number:08x}-1111-4000-8000-000000000000"
        return ClaudeFile(self.user / ".claude" / "projects" / project / f"{id}.jsonl", id)

    def files(self) -> list[SessionFile]:
        """The session files as they are now."""
        return self._watch.files()

    def update(self, **how: Any) -> IndexReport:
        """Index, by default everything."""
        return Indexer(self.index, self.files()).run(**{"everything": True, **how})

    def lose_catalog(self) -> None:
        """Take the history's catalog away."""
        self.index.close()
        for path in self.home.data.glob("history/catalog.sqlite*"):
            path.unlink()

    def close(self) -> None:
        """Close the index."""
        self.index.close()


def filled(machine: Machine, number: int, turns: int = 3, project: str = "-home-user-app") -> ClaudeFile:
    """A session of some exchanges."""
    session = machine.session(number, project)
    for turn in range(turns):
        session.prompt(f"Question {turn} of session {number}")
        session.turn(f"call-{number}-{turn}", f"output {turn} of session {number}\n" + "line\n" * turn)
        session.says(f"Answer {turn} of session {number}")
    return session


def rest(path: Path, seconds: float = LONG_AGO) -> None:
    """Let a file be as if nobody had written to it for so long."""
    then = time.time() - seconds
    os.utime(path, (then, then))


def read_anew(file: SessionFile) -> list[Told]:
    """All that a session says, read from its start."""
    history = read_history(file)
    return [told(passage) for passage in (*history.passages(), *history.rest())]


def told(passage: Passage) -> Told:
    """A passage without its secrets."""
    text, flags = mask(passage.text), flags_of(passage)
    return Told(passage.entry, passage.at, passage.role, text, passage.tool, round(passage.time, 3), flags)


def by_index(index: Index, files: list[SessionFile]) -> dict[tuple[str, str], list[Told]]:
    """What each source says by the index and what is pending, by path and inside."""
    view = index.view()
    assert not view.damaged
    found = {source: rows_told(index, view, source) for source in view.sources}
    known = {(view.sources[number].path, view.sources[number].inside): rows for number, rows in found.items()}
    assert len(known) == len(found)
    for one in index.pending(files, view):
        source = view.sources.get(one.number or 0)
        scan(one, known, source.settled if source else 0)
    return known


def scan(one: Pending, known: dict[tuple[str, str], list[Told]], settled: int = 0) -> None:
    """Add what a pending file says to what the index tells of it, the first `settled` passages of which stay."""
    history = read_history(one.file, one.mark)
    new = [told(passage) for passage in (*history.passages(), *history.rest())]
    key = one.file.place
    rows = [] if history.fresh else known.get(key, [])[:settled]
    known[key] = rows + new


def rows_told(index: Index, view: IndexView, source: int) -> list[Told]:
    """What the rows of a source say, in its order; every row is compared with what its frame says of it."""
    rows = [(shard, row) for shard, row in all_rows(view) if row.source == source]
    rows.sort(key=lambda each: (index.frame(*each).first, each[1].slot))
    return [_checked(index, view, shard, row) for shard, row in rows]


def all_rows(view: IndexView) -> list[tuple[str, Row]]:
    """Every row of every segment, with its shard."""
    found = []
    for shard, segments in view.shards.items():
        for one in segments:
            columns = (
                one.sources, one.roles, one.tools, one.flags, one.times, one.copies, one.frames, one.slots
            )  # fmt: skip
            found += [(shard, Row(*numbers)) for numbers in zip(*columns, strict=True)]
    return found


def _checked(index: Index, view: IndexView, shard: str, row: Row) -> Told:
    frame = index.frame(shard, row)
    passage = frame.passage(row.slot)
    said = told(passage)
    assert passage.text == said.text == index.text(shard, row)
    assert (SPEAKERS[row.role], view.tools[row.tool], row.flags) == (said.role, said.tool, said.flags)
    assert row.time == int(passage.time)
    assert frame.origin.source == row.source
    return said


def assert_complete(index: Index, files: list[SessionFile], gone: Mapping[str, list[Told]] | None = None) -> None:
    """What the index and what is pending tell is what reading all sources anew tells, `gone` ones by path."""
    known = by_index(index, files)
    anew = {file.place: read_anew(file) for file in files}
    anew |= {(path, ""): said for path, said in (gone or {}).items()}
    for key in known | anew:
        assert known.get(key, []) == anew.get(key, []), key
