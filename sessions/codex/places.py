"""Where Codex keeps its rollouts: by day in `sessions/`, moved to `archived_sessions/`, older ones compressed; the
first Codex kept them as `.json` beside the folders of days."""

from __future__ import annotations

import os
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

from prune_mcp.sessions.folders import entries, expanded, is_folder, session_file
from prune_mcp.sessions.session_file import SessionFile
from prune_mcp.sessions.unpacked import SUFFIX, is_packed

# A session may stand in both while it is moved; the first counts.
FOLDERS = ("sessions", "archived_sessions")
# Years, months and days.
DEPTH = 3
ROLLOUT = re.compile(r"rollout-.*?([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})?\.jsonl?(?:\.zst)?", re.IGNORECASE)


def places(env: Mapping[str, str], home: Path, counts: Counter[str]) -> Iterator[SessionFile]:
    """Every rollout of Codex, each session once; see `discover`."""
    seen: set[str] = set()
    for folder in FOLDERS:
        # In one folder the plain file of a session counts, not the compressed one beside it.
        for entry in sorted(rollouts(codex_home(env, home) / folder, counts), key=is_packed):
            id = rollout_id(entry.name)
            name = id or entry.name.removesuffix(SUFFIX)
            for file in session_file("codex", entry, id, "", counts) if name not in seen else ():
                seen.add(name)
                yield file


def codex_home(env: Mapping[str, str], home: Path) -> Path:
    """The folder that holds everything of Codex."""
    return expanded(env.get("CODEX_HOME") or "~/.codex", home)


def home_of(path: Path) -> Path | None:
    """The folder of Codex that a rollout stands in, or None for one that stands elsewhere."""
    return next((folder.parent for folder in path.parents[: DEPTH + 1] if folder.name in FOLDERS), None)


def find_rollout(home: Path, id: str) -> Path | None:
    """The rollout with this id in a folder of Codex."""
    counts: Counter[str] = Counter()
    for folder in FOLDERS:
        found = [entry for entry in rollouts(home / folder, counts) if rollout_id(entry.name) == id.lower()]
        if found:
            return Path(min(found, key=is_packed).path)
    return None


def rollouts(folder: str | Path, counts: Counter[str], depth: int = DEPTH) -> Iterator[os.DirEntry[str]]:
    """The rollout files in a folder and the folders of days below it."""
    for entry in entries(folder, counts):
        if is_folder(entry):
            if depth:
                yield from rollouts(entry.path, counts, depth - 1)
        elif ROLLOUT.fullmatch(entry.name):
            yield entry


def rollout_id(name: str) -> str:
    """The id in the name of a rollout file, "" where there is none."""
    found = ROLLOUT.fullmatch(name)
    return (found[1] or "").lower() if found else ""
