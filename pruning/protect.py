"""Protected tools and paths, whose outputs no phase touches."""

from __future__ import annotations

import posixpath
import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

from prune_mcp.pruning.options import PruneOptions


def protection(tool: str, arguments: Any, options: PruneOptions, cwd: str = "") -> str | None:
    """Why a call's output is protected, in words, or None.

    Paths are looked for under any of `options.path_arguments`, also in lists and nested tables.
    """
    if tool in options.protected_tools:
        return f"tool {tool}"
    if not options.protected_paths:
        return None
    for path in paths(arguments, options.path_arguments):
        forms = {normal(path), normal(path, cwd)}
        for glob in options.protected_paths:
            if any(_matcher(glob).fullmatch(form) for form in forms):
                return f"path {glob}"
    return None


def paths(arguments: Any, names: tuple[str, ...]) -> Iterator[str]:
    """The path arguments of a call, as written."""
    if not isinstance(arguments, Mapping):
        return
    for name, value in arguments.items():
        if isinstance(value, Mapping):
            yield from paths(value, names)
        elif name in names:
            values = value if isinstance(value, list) else [value]
            yield from (item for item in values if isinstance(item, str) and item)


def normal(path: str, cwd: str = "") -> str:
    """A path in one form: forward slashes, no `file://`, `.` and `..` resolved, absolute when `cwd` is given."""
    path = path.removeprefix("file://").replace("\\", "/")
    if cwd and not path.startswith(("/", "~")) and not re.match(r"[A-Za-z]:/", path):
        path = f"{cwd.replace(chr(92), '/')}/{path}"
    return posixpath.normpath(path)


@lru_cache(maxsize=256)
def _matcher(glob: str) -> re.Pattern[str]:
    """`**/` is any number of whole segments, `**` anything, `*` no slash, `?` one character that is no slash."""
    pieces = re.split(r"(\*\*/|\*\*|\*|\?)", glob.replace("\\", "/"))
    rules = {"**/": "(?:[^/]*/)*", "**": ".*", "*": "[^/]*", "?": "[^/]"}
    return re.compile("".join(rules.get(piece, re.escape(piece)) for piece in pieces), re.DOTALL)
