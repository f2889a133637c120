"""Which sessions are meant to be forgotten, in the index and among the files it does not hold yet."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path
from typing import TYPE_CHECKING

from prune_mcp.engine.masked import masked

if TYPE_CHECKING:
    from prune_mcp.search.rows import SourceRecord
    from prune_mcp.sessions.session_file import SessionFile

# Shorter beginnings of ids could mean anything.
SHORTEST = 6
# Folders that have no separator in them.
HERE = (".", "..", "~")


@dataclass(frozen=True, slots=True)
class Chosen:
    """A session to be forgotten. `path` and `inside` say where it stands; `passages`: how many the index holds,
    `text`: the bytes of their texts, `outputs`: how many the store holds."""

    session: str
    host: str
    project: str
    title: str
    path: str
    inside: str
    passages: int = 0
    text: int = 0
    outputs: int = 0


def means(what: str) -> Callable[[str, str], bool]:
    """Whether a session (by its id and its folder) is meant by a word: an id or the beginning of one, a folder or
    its name, or a pattern for either."""
    folder = os.path.realpath(Path(what).expanduser()) if os.sep in what or what in HERE else ""

    def meant(session: str, project: str) -> bool:
        if "*" in what or "?" in what:
            return fnmatchcase(session, what) or fnmatchcase(project, what)
        if folder and (project == folder or project.startswith(folder + os.sep)):
            return True
        if project and what in (project, Path(project).name):
            return True
        whole, main = session, session.partition("/")[0]
        return what in (whole, main) or (len(what) >= SHORTEST and whole.startswith(what))

    return meant


def begins_several(what: str, chosen: Iterable[Chosen]) -> bool:
    """Whether a word only begins the ids of several sessions; a subagent is of its session."""
    mains = {each.session.partition("/")[0] for each in chosen if Path(each.project).name != what}
    return what not in mains and sum(main.startswith(what) for main in mains) > 1


def chosen(
    what: str, sources: Iterable[SourceRecord], files: Iterable[SessionFile], sizes: Mapping[int, int]
) -> list[Chosen]:
    """The sessions that a word means, those of the index first. `sizes`: the bytes of each source's texts."""
    meant = means(what)
    found = {
        (source.path, source.inside): Chosen(
            source.session,
            source.host,
            source.cwd or source.project,
            source.title,
            source.path,
            source.inside,
            source.passages,
            sizes.get(source.number, 0),
        )
        for source in sources
        if meant(source.session, source.cwd or source.project)
    }
    for file in files:
        key = file.place
        if key not in found and meant(file.id, file.cwd):
            found[key] = Chosen(file.id, file.host, file.cwd, masked(file.title), *key)
    return list(found.values())
