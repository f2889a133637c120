"""The sessions on this machine, found where each host keeps them."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from pathlib import Path

from prune_mcp.sessions.exports.imported import imported
from prune_mcp.sessions.session_file import SessionFile

# Each of these modules tells, with its function `places`, where one host's sessions stand.
PLACES = ("claude.places", "codex.places", "gemini.places", "opencode.places", "pi.places")


def discover(
    env: Mapping[str, str], home: Path, skipped: Counter[str] | None = None, imports: Path | None = None
) -> Iterator[SessionFile]:
    """Every session of the hosts we read, in no particular order; nothing of the files is read.

    `env` and `home` say where the hosts keep them, `imports` is the folder of imported ones. `skipped` counts what
    could not be looked at (`folder`, `file`, `database`) and files without content (`empty`).
    """
    counts = Counter() if skipped is None else skipped
    for module in PLACES:
        yield from found_by(module, env, home, counts)
    if imports:
        yield from imported(imports, counts)


def found_by(module: str, env: Mapping[str, str], home: Path, counts: Counter[str]) -> Iterator[SessionFile]:
    """The sessions that one of `PLACES` tells of; see `discover`."""
    found: Iterator[SessionFile] = import_module(f"prune_mcp.sessions.{module}").places(env, home, counts)
    return found


def each_once(files: Iterable[SessionFile]) -> list[SessionFile]:
    """Each file once, by its own name rather than by that of a link to it or to a folder above it."""
    found: dict[tuple[str, str], SessionFile] = {}
    for file in files:
        real = os.path.realpath(file.filename)
        if found.setdefault((real, file.inside), file) is not file and file.filename == real:
            found[real, file.inside] = file
    return [*found.values()]
