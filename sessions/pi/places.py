"""Where pi keeps its sessions: one folder for each project, or all in the folder that its settings name."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

from prune_mcp.sessions.folders import entries, expanded, folders, is_file, session_file
from prune_mcp.sessions.session_file import SessionFile, uuid_in


def places(env: Mapping[str, str], home: Path, counts: Counter[str]) -> Iterator[SessionFile]:
    """Every session file of pi; see `discover`."""
    for root in pi_roots(env, home):
        yield from _files(root, "", counts)
        for project in folders(root, counts):
            # In a folder that several projects share, only the file itself tells where it was started.
            encoded = project.name.startswith("--") and project.name.endswith("--")
            yield from _files(Path(project.path), project.name if encoded else "", counts)


def pi_roots(env: Mapping[str, str], home: Path) -> list[Path]:
    """The folder that holds pi's session folders."""
    if named := env.get("PI_CODING_AGENT_SESSION_DIR"):
        return [expanded(named, home)]
    agent = expanded(env.get("PI_CODING_AGENT_DIR") or "~/.pi/agent", home)
    return [_setting(agent, home) or agent / "sessions"]


def _setting(agent: Path, home: Path) -> Path | None:
    """The session folder that pi's own settings name."""
    try:
        settings = json.loads((agent / "settings.json").read_bytes())
    except (OSError, ValueError):
        return None
    named = settings.get("sessionDir") if isinstance(settings, dict) else None
    return expanded(named, home) if isinstance(named, str) and named else None


def _files(folder: Path, project: str, counts: Counter[str]) -> Iterator[SessionFile]:
    for entry in entries(folder, counts):
        if entry.name.endswith(".jsonl") and is_file(entry, counts):
            yield from session_file("pi", entry, uuid_in(entry.name.partition("_")[2]), project, counts)
