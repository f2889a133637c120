"""Where Gemini CLI keeps its sessions: chats for each project, beside them a folder for a chat's subagents."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path

from prune_mcp.sessions.folders import entries, expanded, folders, is_file, is_folder, session_file
from prune_mcp.sessions.gemini.projects import root_of
from prune_mcp.sessions.session_file import SessionFile

HOST = "gemini"
ENDINGS = (".json", ".jsonl")


def places(env: Mapping[str, str], home: Path, counts: Counter[str]) -> Iterator[SessionFile]:
    """Every session file of Gemini CLI; see `discover`."""
    root = expanded(env.get("GEMINI_CLI_HOME") or "~/", home) / ".gemini" / "tmp"
    for project in folders(root, counts):
        chats = Path(project.path) / "chats"
        found = entries(chats, counts)
        if found:
            folder = root_of(Path(project.path)) or project.name
            yield from _files(_sessions(found, counts), folder, counts)
            for parent in found:
                if is_folder(parent):
                    yield from _subagents(Path(parent.path), folder, counts)


def _sessions(found: list[os.DirEntry[str]], counts: Counter[str]) -> list[os.DirEntry[str]]:
    return [entry for entry in found if entry.name.startswith("session-") and is_file(entry, counts)]


def _subagents(folder: Path, project: str, counts: Counter[str]) -> Iterator[SessionFile]:
    for file in _files([entry for entry in entries(folder, counts) if is_file(entry, counts)], project, counts):
        file.parent = folder.name
        yield file


def _files(found: list[os.DirEntry[str]], project: str, counts: Counter[str]) -> Iterator[SessionFile]:
    """The session files among these; of a session that was resumed from the old form only the new file."""
    names = {entry.name for entry in found}
    for entry in found:
        if entry.name.endswith(ENDINGS) and f"{entry.name}l" not in names:
            yield from session_file(HOST, entry, "", project, counts)
