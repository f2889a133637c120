"""Which host wrote a transcript, told from its first lines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from prune_mcp.sessions.claude_code import ClaudeCode
from prune_mcp.sessions.damage import objects
from prune_mcp.sessions.model import SessionError
from prune_mcp.sessions.pi import Pi
from prune_mcp.sessions.reader import Reader
from prune_mcp.sessions.tail import Tail

# Lines of Claude Code that belong to no entry of the tree; a session may hold nothing else.
CLAUDE_LINES = frozenset(
    {
        "summary", "file-history-snapshot", "queue-operation", "ai-title", "custom-title", "agent-name",
        "agent-color", "last-prompt", "permission-mode", "mode", "agent-setting", "pr-link", "bridge-session",
        "frame-link", "worktree-state",
    }
)  # fmt: skip
FIRST_CHUNK = 1 << 16
PI_ROLES = frozenset({"user", "assistant", "toolResult", "bashExecution"})


def reader_for(path: Path) -> type[Reader]:
    """The reader of the host that wrote the file.

    Raises:
        SessionError: it is missing, a folder, empty, unreadable, or no session of a known host.
    """
    tail = Tail(path)
    with tail.open() as file:
        reader = reader_of(line for _, line in tail.lines(file, FIRST_CHUNK))
    if reader:
        return reader
    if not tail.position:
        raise SessionError(f"{path} is empty, so it holds no session yet; name another session file or id.")
    raise SessionError(f"{path} is no session of Claude Code or pi; name one of their .jsonl session files.")


def reader_of(lines: Iterable[bytes]) -> type[Reader] | None:
    """The reader of the host that wrote these lines, or None where no line tells."""
    for line in lines:
        for _, _, value in objects(line, Counter(), lambda found: _reader(found) is not None):
            if reader := _reader(value):
                return reader
    return None


def _reader(line: dict[str, Any]) -> type[Reader] | None:
    kind = line.get("type")
    if kind == "session" and isinstance(line.get("id"), str):
        return Pi
    message = line.get("message")
    if kind == "message" and isinstance(message, dict) and message.get("role") in PI_ROLES:
        return Pi
    if kind in CLAUDE_LINES or ("sessionId" in line and isinstance(kind, str)):
        return ClaudeCode
    return None
