"""A question's filters: which sessions, roles and tools are meant, and what to say where none is."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from difflib import get_close_matches
from functools import lru_cache
from itertools import chain
from pathlib import Path
from typing import get_args

from prune_mcp.search.entries.entry_ref import EntryRef
from prune_mcp.search.find.question import Question, QuestionWrong
from prune_mcp.search.indexing.pending import Pending
from prune_mcp.search.rows import IndexView, SourceRecord
from prune_mcp.sessions.model import Format
from prune_mcp.sessions.passage import SPEAKERS
from prune_mcp.sessions.session_file import SessionFile

TOOL_ROLES = ("call", "result")
ROLES = (*SPEAKERS, "tool")
_NEAR = 3
_TOOL_PARTS = re.compile(r"__|[./:]")


class Filters:
    """What a question asks to be left out, whatever it says.

    Raises:
        QuestionWrong: there is no such role, or no time between `since` and `until`.
    """

    def __init__(self, question: Question) -> None:
        self._question = question
        self._agent = _plain(question.agent)
        self._project = _expanded(question.project.strip())
        self.since, self.until = question.since, question.until
        self.session = question.session.strip()
        self._ref = EntryRef("", self.session)
        self._several: set[str] = set()
        self._folders: dict[tuple[str, str], bool] = {}
        self._role_names = frozenset(self.roles())
        if not self._role_names:
            raise QuestionWrong(f"There is no role {question.role!r}: roles are {', '.join(ROLES)}.")
        if self.since and self.until and self.since > self.until:
            raise QuestionWrong(
                "`since` is later than `until`, so nothing can be between them. Change one of them."
            )

    def among(self, sessions: Callable[[], Iterable[str]]) -> None:
        """Let a short name of a session mean the only one of these that begins so."""
        self._several = self._ref.could_be(sessions)
        self._ref = self._ref.among(lambda: self._several)

    def roles(self) -> Collection[str]:
        """The roles that pass."""
        asked = self._question.role.strip().casefold()
        if not asked:
            return SPEAKERS
        return TOOL_ROLES if asked == "tool" else [role for role in SPEAKERS if role == asked]

    def tool(self, name: str) -> bool:
        """Whether passages of this tool pass; an MCP tool is also known by its name without its server's."""
        asked = self._question.tool.strip().casefold()
        return not asked or asked in _tool_names(name)

    def passage(self, role: str, tool: str, time: float) -> bool:
        """Whether such a passage passes; `time`: seconds since the epoch, 0 unknown, which passes."""
        if role not in self._role_names or not self.tool(tool):
            return False
        return not time or (self.since <= time and (not self.until or time <= self.until))

    def source(self, host: str, session: str, cwd: str, project: str) -> bool:
        """Whether passages of such a session pass."""
        if self.session and not self._ref.means_session(session):
            return False
        return self.agent(host) and (not self._project or self._in_project(cwd, project))

    def agent(self, host: str) -> bool:
        """Whether passages of this host pass: of the one with that very name, else of any with it as a part."""
        asked = self._agent
        if not asked:
            return True
        return _plain(host) == asked if asked in _AGENTS else asked in _plain(host)

    def sources(self, records: Mapping[int, SourceRecord]) -> set[int]:
        """The numbers of the sources that pass."""
        if not (self.session or self._question.agent or self._project):
            return set(records)
        return {n for n, one in records.items() if self.source(one.host, one.session, one.cwd, one.project)}

    def file(self, file: SessionFile) -> bool:
        """Whether a file may hold anything that passes, as far as it tells without being read."""
        if not self.agent(file.host) or (self.since and file.mtime < self.since):
            return False
        if self.session and not self._ref.means_session(file.named or file.id):
            return False
        return not self._project or self._in_project(*_folder(file))

    def notes(self, view: IndexView, pending: Iterable[Pending], tools: Iterable[str]) -> list[str]:
        """What each filter that matches nothing could have meant, of what there is in the index, in files that are
        not, and of tools."""
        asked = self._question
        if not (asked.agent or asked.tool or self._project or self.session):
            return []
        files = [each.file for each in pending]
        records = sorted(view.sources.values(), key=lambda one: -one.last)
        notes = []
        sessions = [*(one.session for one in records), *(file.named for file in files)]
        if len(self._several) > 1:
            named = ", ".join(sorted(self._several)[:_NEAR])
            notes.append(
                f"{len(self._several)} sessions begin with {self.session!r}: give more of its id ({named})."
            )
        elif self.session and not any(map(self._ref.means_session, sessions)):
            notes.append(_unmatched("id", self.session, sessions))
        hosts = dict.fromkeys([*(one.host for one in records), *(file.host for file in files)])
        if asked.agent and not any(self.agent(host) for host in hosts):
            notes.append(_unmatched("agent", asked.agent, hosts))
        # Files are asked where they stand only as long as none is in the project: some have to be read for it.
        folders = ((one.cwd, one.project) for one in records)
        if self._project and not any(self._in_project(*folder) for folder in chain(folders, map(_folder, files))):
            names = [project_name(*folder) for folder in dict.fromkeys(self._folders)]
            notes.append(_unmatched("project", asked.project, names))
        tools = [*view.tools, *sorted(tools)]
        if asked.tool and not any(self.tool(name) for name in tools if name):
            notes.append(_unmatched("tool", asked.tool, tools))
        return notes

    def _in_project(self, cwd: str, project: str) -> bool:
        folder = cwd, project
        if folder not in self._folders:
            self._folders[folder] = self._is_in_project(cwd, project)
        return self._folders[folder]

    def _is_in_project(self, cwd: str, project: str) -> bool:
        path, folder = self._project, _slashed(cwd)
        if path.startswith("/") or path[1:3] == ":/":
            below = folder == path or folder.startswith(path + "/")
            return below or _plain(project) == _plain(path) or _plain(project).startswith(_plain(path) + "-")
        return path.casefold() in folder.casefold() or (_plain(path) or path) in _plain(project)


def project_name(cwd: str, project: str) -> str:
    """What a session's project is called: the name of its folder."""
    return _slashed(cwd).rpartition("/")[2] or project


def _folder(file: SessionFile) -> tuple[str, str]:
    """The folder of a session's project, and the name that its file's place gives it; one of them is enough."""
    return "" if file.project else file.cwd, file.project


def _tool_names(name: str) -> Sequence[str]:
    folded = name.casefold()
    return folded, _TOOL_PARTS.split(folded)[-1]


def _expanded(path: str) -> str:
    try:
        return _slashed(str(Path(path).expanduser()) if path.startswith("~") else path)
    except RuntimeError:
        # The home of nobody: a part of a name like any other.
        return _slashed(path)


def _slashed(path: str) -> str:
    return path.replace("\\", "/").rstrip("/")


@lru_cache(maxsize=1024)
def _plain(name: str) -> str:
    """A name as hosts write it in folders' names: hyphens for whatever is no letter or digit."""
    return re.sub(r"[\W_]+", "-", name.casefold()).strip("-")


def _unmatched(what: str, value: str, names: Iterable[str]) -> str:
    known = list(dict.fromkeys(name for name in names if name))
    folded = {name.casefold(): name for name in reversed(known)}
    near = [folded[name] for name in get_close_matches(value.casefold(), list(folded), _NEAR, 0.5)] or known[
        :_NEAR
    ]
    offer = f"; there is {', '.join(near)}" if near else ""
    return f"No session's {what} matches {value!r}{offer}."


# One agent's name may be a part of another's.
_AGENTS = frozenset(map(_plain, get_args(Format)))
