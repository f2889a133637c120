"""What a session tells, in short forms that tests compare."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

from prune_mcp.sessions.history import History, Mark, read_history
from prune_mcp.sessions.passage import Passage
from prune_mcp.sessions.session_file import SessionFile


def session_file(path: Path) -> SessionFile:
    """The file as discovery would find it now."""
    status = path.stat()
    stamp = status.st_mtime_ns, status.st_ino
    return SessionFile("", str(path), status.st_mtime, status.st_size, stamp=stamp)


def history(path: Path, mark: Mark | None = None) -> History:
    """The history of the session in a file."""
    return read_history(session_file(path), mark)


def passages(path: Path) -> list[Passage]:
    """Everything that a session says."""
    read = history(path)
    return [*read.passages(), *read.rest()]


def told(path: Path) -> list[tuple[str, str]]:
    """Everything that a session says, as (role, text)."""
    return [(passage.role, passage.text) for passage in passages(path)]


def holding(found: Iterable[Passage], words: str) -> list[Passage]:
    """The passages that hold these words."""
    return [passage for passage in found if words in passage.text]


def only(path: Path, words: str) -> Passage:
    """The one passage that holds these words."""
    found = holding(passages(path), words)
    assert len(found) == 1, found
    return found[0]
