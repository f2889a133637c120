"""Where Claude Code keeps its sessions: `projects/<folder>/`, its subagents' in folders below."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

from prune_mcp.sessions.folders import entries, folders, is_folder, session_file
from prune_mcp.sessions.session_file import SessionFile, uuid_in


def places(env: Mapping[str, str], home: Path, counts: Counter[str]) -> Iterator[SessionFile]:
    """Every session file of Claude Code; see `discover`."""
    for root in claude_roots(env, home):
        for project in folders(root, counts):
            yield from _project(project, counts)


def claude_roots(env: Mapping[str, str], home: Path) -> list[Path]:
    """The folders that hold Claude Code's project folders."""
    named = env.get("CLAUDE_CONFIG_DIR")
    configs = [Path(named)] if named else [home / ".claude", home / ".config" / "claude"]
    return [config / "projects" for config in configs]


def _project(project: os.DirEntry[str], counts: Counter[str]) -> Iterator[SessionFile]:
    for entry in entries(project.path, counts):
        if is_folder(entry):
            yield from _subagents(f"{entry.path}{os.sep}subagents", entry.name, project.name, counts)
        elif entry.name.endswith(".jsonl"):
            # A subagent's file of earlier versions stands here as well, and only its lines name its session.
            yield from session_file("claude-code", entry, uuid_in(entry.name), project.name, counts)


def _subagents(folder: str, session: str, project: str, counts: Counter[str]) -> Iterator[SessionFile]:
    """The subagents of a session, those of its workflows in folders below."""
    for entry in entries(folder, counts):
        if entry.is_dir(follow_symlinks=False):
            yield from _subagents(entry.path, session, project, counts)
        elif entry.name.startswith("agent-") and entry.name.endswith(".jsonl"):
            named = f"{session}/{entry.name.removesuffix('.jsonl')}"
            yield from session_file("claude-code", entry, named, project, counts)


def has_subagent(transcript: Path, agent: str) -> bool:
    """Whether a subagent of this transcript, or of the session it belongs to, has a file of its own."""
    name = f"agent-{agent}.jsonl"
    if name != Path(name).name or "\0" in name:
        return False
    nested = [folder for folder in transcript.parents if folder.name == "subagents"]
    folders = [transcript.with_suffix("") / "subagents", transcript.parent, *nested]
    return any((folder / name).is_file() for folder in folders)
