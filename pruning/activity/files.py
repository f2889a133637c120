"""Which files were changed and which only read, each known by one path however it was written."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterable
from typing import Any

from prune_mcp.pruning.activity.tools import OPENS, plain_name
from prune_mcp.pruning.protect import normal

_UNKNOWN = re.compile(r"[$`*?\n]")


class Files:
    """The files of a stretch of work; paths are told from `cwd` where they stand in it."""

    def __init__(self, cwd: str) -> None:
        self._cwd = normal(cwd).rstrip("/") if cwd else ""
        self._changed: dict[str, None] = {}
        self._looked: dict[str, None] = {}
        # What an editor has open whose commands do not name it.
        self._open = ""

    def change(self, paths: Iterable[str], folder: str = "") -> None:
        """Note files that were changed."""
        self._note(self._changed, paths, folder)

    def look(self, paths: Iterable[str], folder: str = "") -> None:
        """Note files that were read."""
        self._note(self._looked, paths, folder)

    def modified(self) -> list[str]:
        """The files that were changed, the last one last."""
        return list(dict.fromkeys(map(self._whole, self._changed)))

    def read(self) -> list[str]:
        """The files that were read and not changed, the last one last."""
        changed = set(self.modified())
        return [path for path in dict.fromkeys(map(self._whole, self._looked)) if path not in changed]

    def folder(self, *parts: Any) -> str:
        """The folder that these parts lead to, one from the other; those that are no text are left out."""
        return posixpath.join("", *(part for part in parts if isinstance(part, str) and part))

    def named(self, tool: str, arguments: Any) -> list[str]:
        """The file of a call that names none under any usual name: in its text, or the one that is open."""
        name = plain_name(tool)
        text = arguments.get("command") if isinstance(arguments, dict) else arguments
        words = text.split() if isinstance(text, str) else []
        if name in OPENS and len(words) > 1:
            self._open = words[1]
        return [self._open] if self._open else []

    def _whole(self, path: str) -> str:
        """The path from the root where another call names the file so: the folder of this one is not known."""
        if self._cwd or posixpath.isabs(path):
            return path
        named = (each for each in (*self._changed, *self._looked) if each.endswith(f"/{path}"))
        whole = set(filter(posixpath.isabs, named))
        return whole.pop() if len(whole) == 1 else path

    def _note(self, group: dict[str, None], paths: Iterable[str], folder: str) -> None:
        for path in paths:
            known = self._known(path, folder)
            if known:
                group.pop(known, None)
                group[known] = None
                self._open = known

    def _known(self, path: str, folder: str) -> str:
        """The path as it is told, "" where the folder that it stands in is not known."""
        path = path.removeprefix("file://")
        if not posixpath.isabs(path) and folder:
            if _UNKNOWN.search(folder):
                return ""
            path = posixpath.join(folder, path)
        path = normal(path)
        return path.removeprefix(f"{self._cwd}/") if self._cwd else path
