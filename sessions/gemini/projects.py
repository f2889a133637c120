"""Which folder a Gemini CLI session belongs to: the host keeps it under a name or a hash of that folder."""

from __future__ import annotations

import json
from collections.abc import Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

MARKER = ".project_root"
REGISTRY = "projects.json"


def project_of(transcript: Path) -> Path:
    """The folder that holds all of a project's files: `chats/` stands in it, a subagent's file a level deeper."""
    return next((folder.parent for folder in transcript.parents if folder.name == "chats"), transcript.parent)


def root_of(project: Path) -> str:
    """The folder of a project, "" where neither its marker nor the registry tells."""
    try:
        if root := (project / MARKER).read_text(encoding="utf-8", errors="surrogateescape").strip():
            return root
    except (OSError, ValueError):
        pass
    registry = project.parent.parent / REGISTRY
    for root, name in _registered(registry):
        if project.name in (name, sha256(root.encode("utf-8", "surrogateescape")).hexdigest()):
            return root
    return ""


def _registered(registry: Path) -> Iterator[tuple[str, Any]]:
    """The folders that the host knows, each with its project's name."""
    try:
        value = json.loads(registry.read_bytes())
    except (OSError, ValueError, RecursionError):
        return
    projects = value.get("projects") if isinstance(value, dict) else None
    if isinstance(projects, dict):
        yield from projects.items()
