"""The sessions of Claude Code and pi on this machine, found where the hosts keep them."""

from __future__ import annotations

import json
import os
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

from prune_mcp.sessions.session_file import SessionFile, is_uuid


def discover(env: Mapping[str, str], home: Path, skipped: Counter[str] | None = None) -> Iterator[SessionFile]:
    """Every session file of the hosts we read, in no particular order; nothing of the files is read.

    `env` and `home` say where the hosts keep them. `skipped` counts what could not be looked at (`folder`,
    `file`) and files without content (`empty`).
    """
    counts = Counter() if skipped is None else skipped
    for root in claude_roots(env, home):
        for project in _folders(root, counts):
            yield from _claude_project(project, counts)
    for root in pi_roots(env, home):
        yield from _pi_files(root, "", counts)
        for project in _folders(root, counts):
            # In a folder that several projects share, only the file itself tells where it was started.
            encoded = project.name.startswith("--") and project.name.endswith("--")
            yield from _pi_files(Path(project.path), project.name if encoded else "", counts)


def claude_roots(env: Mapping[str, str], home: Path) -> list[Path]:
    """The folders that hold Claude Code's project folders."""
    named = env.get("CLAUDE_CONFIG_DIR")
    configs = [Path(named)] if named else [home / ".claude", home / ".config" / "claude"]
    return [config / "projects" for config in configs]


def pi_roots(env: Mapping[str, str], home: Path) -> list[Path]:
    """The folder that holds pi's session folders."""
    if named := env.get("PI_CODING_AGENT_SESSION_DIR"):
        return [_expanded(named, home)]
    agent = _expanded(env.get("PI_CODING_AGENT_DIR") or "~/.pi/agent", home)
    return [_pi_setting(agent, home) or agent / "sessions"]


def _pi_setting(agent: Path, home: Path) -> Path | None:
    """The session folder that pi's own settings name."""
    try:
        settings = json.loads((agent / "settings.json").read_bytes())
    except (OSError, ValueError):
        return None
    named = settings.get("sessionDir") if isinstance(settings, dict) else None
    return _expanded(named, home) if isinstance(named, str) and named else None


def _expanded(path: str, home: Path) -> Path:
    return home / path[2:] if path.startswith("~/") else Path(path)


def _claude_project(project: os.DirEntry[str], counts: Counter[str]) -> Iterator[SessionFile]:
    for entry in _entries(project.path, counts):
        if entry.is_dir():
            yield from _subagents(Path(entry.path) / "subagents", entry.name, project.name, counts)
        elif entry.name.endswith(".jsonl"):
            # A subagent's file of earlier versions stands here as well, and only its lines name its session.
            yield from _file("claude-code", entry, _uuid(entry.name), project.name, counts)


def _subagents(folder: Path, session: str, project: str, counts: Counter[str]) -> Iterator[SessionFile]:
    """The subagents of a session, those of its workflows in folders below."""
    if not folder.is_dir():
        return
    for entry in _entries(folder, counts):
        if entry.is_dir(follow_symlinks=False):
            yield from _subagents(Path(entry.path), session, project, counts)
        elif entry.name.startswith("agent-") and entry.name.endswith(".jsonl"):
            named = f"{session}/{entry.name.removesuffix('.jsonl')}"
            yield from _file("claude-code", entry, named, project, counts)


def _pi_files(folder: Path, project: str, counts: Counter[str]) -> Iterator[SessionFile]:
    for entry in _entries(folder, counts):
        if entry.name.endswith(".jsonl") and entry.is_file():
            yield from _file("pi", entry, _uuid(entry.name.partition("_")[2]), project, counts)


def _uuid(name: str) -> str:
    """The id that a file's name tells: hosts write uuids there, whatever else it is may be anything."""
    stem = name.removesuffix(".jsonl")
    return stem if is_uuid(stem) else ""


def _file(
    host: str, entry: os.DirEntry[str], named: str, project: str, counts: Counter[str]
) -> Iterator[SessionFile]:
    """The session file of an entry that has content."""
    try:
        status = entry.stat()
    except OSError:
        counts["file"] += 1
        return
    if status.st_size:
        yield SessionFile(host, Path(entry.path), status.st_mtime, status.st_size, named, project)
    else:
        counts["empty"] += 1


def _folders(root: Path, counts: Counter[str]) -> Iterator[os.DirEntry[str]]:
    return (entry for entry in _entries(root, counts) if entry.is_dir())


def _entries(folder: str | Path, counts: Counter[str]) -> list[os.DirEntry[str]]:
    """What stands in a folder, by name; a missing folder holds nothing."""
    try:
        with os.scandir(folder) as entries:
            return sorted(entries, key=lambda entry: entry.name)
    except FileNotFoundError:
        return []
    except OSError:
        counts["folder"] += 1
        return []
