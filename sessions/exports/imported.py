"""Conversations brought in from exports: one private file for each, in a folder for each host."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from prune_mcp.sessions.folders import entries, session_file
from prune_mcp.sessions.session_file import SessionFile

# The folder of imports in the user's data folder.
IMPORTS = "imports"
# By host: how the files are called behind the session's id.
ENDINGS = {
    "claude.ai": ".json",
    "chatgpt": ".json",
    "mini-swe-agent": ".traj.json",
    "swe-agent": ".traj",
    "opencode": ".json",
}


def imported(folder: Path, counts: Counter[str]) -> Iterator[SessionFile]:
    """The sessions kept in a folder of imports; `counts`: see `discover`."""
    for host, ending in ENDINGS.items():
        for entry in entries(folder / host, counts):
            if entry.name.endswith(ending) and not entry.name.startswith("."):
                yield from session_file(host, entry, entry.name.removesuffix(ending), "", counts)
