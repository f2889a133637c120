"""Watching where sessions stand: their files as they are now, told again and again for a stat of each."""

from __future__ import annotations

import os
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from functools import partial
from itertools import chain, compress
from operator import eq, is_, ne
from pathlib import Path

from prune_mcp.sessions.discover import PLACES, found_by
from prune_mcp.sessions.exports.imported import IMPORTS as IMPORTS
from prune_mcp.sessions.exports.imported import imported
from prune_mcp.sessions.folders import Survey, changed_at, stamp_of
from prune_mcp.sessions.session_file import SessionFile
from prune_mcp.storage.home import home, user_folder

# The time of a folder's change may be this coarse: one that changed so lately may change again and not show it.
COARSE_NANOSECONDS = 2_000_000_000

Look = Callable[[Counter[str]], Iterator[SessionFile]]


class Watch:
    """The session files of all hosts below the home folder `user`, as `discover` finds them, and of `imports`.

    `skipped`: see `discover`, as of the last time. Not for several threads at once.
    """

    def __init__(self, env: Mapping[str, str], user: Path, imports: Path) -> None:
        looks: list[Look] = [partial(found_by, module, env, user) for module in PLACES]
        looks.append(partial(imported, imports))
        self._places = [_Place(look) for look in looks]
        self._told: list[list[SessionFile]] = []
        self._files: list[SessionFile] = []

    @property
    def skipped(self) -> Counter[str]:
        """What could not be looked at."""
        return sum((Counter(place.survey) for place in self._places), Counter())

    def files(self) -> list[SessionFile]:
        """The session files as they are now; one that has not changed is the very same object as before, and so is
        the list where none has. It is not to be changed."""
        told = [place.files() for place in self._places]
        if len(told) != len(self._told) or not all(map(is_, told, self._told)):
            self._told, self._files = told, [*chain.from_iterable(told)]
        return self._files


def watch(env: Mapping[str, str]) -> Watch:
    """The watch over the sessions of whoever has this environment.

    Raises:
        StoreError: it is not known where the user's folders are.
    """
    return Watch(env, user_folder(env), home(env).data / IMPORTS)


class _Place:
    """Where one host keeps its sessions: looked at anew when a folder, or a file of several sessions, changed."""

    def __init__(self, look: Look) -> None:
        self.survey = Survey()
        self._look = look
        self._files: list[SessionFile] = []
        self._shared: dict[str, int] = {}
        self._looked = 0

    def files(self) -> list[SessionFile]:
        if not (self._looked and self._stands() and self._update()):
            self._look_again()
        return self._files

    def _look_again(self) -> None:
        self._looked = time.time_ns()
        self.survey = Survey()
        before = {file.place: file for file in self._files}
        files = [*self._look(self.survey)]
        if before:
            files = [_same(before.get(file.place), file) for file in files]
        shared = {file.filename for file in files if file.inside}
        logs = {f"{path}-wal" for path in shared}
        self._shared = {path: changed_at(path) for path in shared | logs}
        self._files = files

    def _stands(self) -> bool:
        """Whether every folder is as it was, and was so for long enough to be sure; and empty files still are."""
        sure = self._looked - COARSE_NANOSECONDS
        looked_at = self.survey.folders | self._shared
        settled = all(changed < sure for changed in looked_at.values())
        same = settled and all(map(eq, map(changed_at, looked_at), looked_at.values()))
        return same and not any(map(_filled, self.survey.empty))

    def _update(self) -> bool:
        """See which of the known files have changed; False where one is no longer there, or empty."""
        alone = [file for file in self._files if not file.inside]
        # There are thousands, and most have not changed: none of our own code runs for those.
        stamps = map(stamp_of, map(os.stat, [file.filename for file in alone]))
        try:
            changed = [*compress(alone, map(ne, stamps, [file.stamp for file in alone]))]
            now = {file.filename: _as_it_is(file) for file in changed}
        except OSError:
            return False
        if now:
            self._files = [now.get(file.filename, file) for file in self._files]
        return all(file.size for file in now.values())


def _as_it_is(file: SessionFile) -> SessionFile:
    status = file.path.stat()
    return replace(file, mtime=status.st_mtime, size=status.st_size, stamp=stamp_of(status))


def _filled(path: str) -> bool:
    try:
        return Path(path).stat().st_size > 0
    except OSError:
        return False


def _same(before: SessionFile | None, now: SessionFile) -> SessionFile:
    """What was told before, where that still holds: it may know more of the file by now."""
    return before if before == now else now
