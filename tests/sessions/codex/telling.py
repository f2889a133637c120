"""What a rollout's history tells, in short forms that tests compare."""

from __future__ import annotations

from pathlib import Path

from prune_mcp.sessions.history import History, Mark, read_history
from prune_mcp.sessions.passage import Passage
from prune_mcp.sessions.session_file import SessionFile


def session_file(path: Path) -> SessionFile:
    """A rollout as it is found."""
    status = path.stat()
    stamp = status.st_mtime_ns, status.st_ino
    return SessionFile("codex", path, status.st_mtime, status.st_size, stamp=stamp)


def history(path: Path, mark: Mark | None = None) -> History:
    """The history of a rollout."""
    return read_history(session_file(path), mark)


def passages(path: Path) -> list[Passage]:
    """Everything that a rollout tells."""
    told = history(path)
    return [*told.passages(), *told.rest()]


def spoken(path: Path, *roles: str) -> list[tuple[str, str]]:
    """Everything that a rollout tells as (role, text), if roles are given only theirs."""
    return [(each.role, each.text) for each in passages(path) if not roles or each.role in roles]


def said(path: Path, words: str) -> list[str]:
    """Who says these words, each time they are told."""
    return [each.role for each in passages(path) if words in each.text]
