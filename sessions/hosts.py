"""Which host wrote a session, told from how its file begins."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from prune_mcp.sessions.claude.session import ClaudeCode
from prune_mcp.sessions.codex.lines import is_line
from prune_mcp.sessions.damage import objects
from prune_mcp.sessions.exports.readers import is_export, reader_of_export
from prune_mcp.sessions.jsontext import BLANK
from prune_mcp.sessions.model import SessionError
from prune_mcp.sessions.partial import partial
from prune_mcp.sessions.pi.session import Pi
from prune_mcp.sessions.reader import Reader
from prune_mcp.sessions.session_file import file_of
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
# What every SQLite database has in these places.
DATABASE = ((0, b"SQLite format 3\0"), (21, b"\x40\x20\x20"))
GEMINI_TYPES = frozenset({"user", "gemini", "info", "warning", "error"})
GEMINI_CHANGES = ("$set", "$patch", "$rewindTo")


def reader_for(path: Path) -> type[Reader]:
    """The reader of the host that wrote the session at an address.

    Raises:
        SessionError: it is missing, a folder, empty, unreadable, or no session of a known host.
    """
    tail = Tail(file_of(path))
    with tail.open() as file:
        head = file.read(FIRST_CHUNK)
        reader = _of_document(head) or _of_lines(line for _, line in tail.lines(file, FIRST_CHUNK))
    if reader:
        return reader
    if not head:
        raise SessionError(f"{path} is empty, so it holds no session yet; name another session file or id.")
    advice = "; bring an export in with `prune-mcp import`" if is_export(head.lstrip(BLANK)) else ""
    raise SessionError(f"{path} is no session of a host that we read; name one of their session files{advice}.")


def reader_of(head: bytes) -> type[Reader] | None:
    """The reader of the host that wrote a file that begins so, or None where that does not tell."""
    return _of_document(head) or _of_lines(head.split(b"\n"))


def begins_session(head: bytes) -> bool:
    """Whether the first thing in a file tells that it is a session of a host."""
    return _of_document(head) is not None


def _of_lines(lines: Iterable[bytes]) -> type[Reader] | None:
    for line in lines:
        for _, _, value in objects(line, Counter(), lambda found: _reader(found) is not None):
            if reader := _reader(value):
                return reader
    return None


def _of_document(head: bytes) -> type[Reader] | None:
    if all(head.startswith(mark, at) for at, mark in DATABASE):
        from prune_mcp.sessions.opencode.database import OpencodeDatabase

        return OpencodeDatabase
    value = partial(head.lstrip(BLANK).decode("utf-8", "surrogateescape"))
    return _reader(value) if isinstance(value, dict) else None


def _reader(value: dict[str, Any]) -> type[Reader] | None:
    """The reader of a session that holds this object: as a line, or as the whole, as far as that was read."""
    return _lines_reader(value) or _document_reader(value)


def _lines_reader(line: dict[str, Any]) -> type[Reader] | None:
    kind = line["type"] if isinstance(line.get("type"), str) else None
    if kind == "session" and isinstance(line.get("id"), str):
        return Pi
    message = line.get("message")
    if kind == "message" and isinstance(message, dict) and str(message.get("role")) in PI_ROLES:
        return Pi
    if kind in CLAUDE_LINES or ("sessionId" in line and kind is not None):
        return ClaudeCode
    if isinstance(line.get("type", ""), str) and is_line(line):
        from prune_mcp.sessions.codex.session import Codex

        return Codex
    return None


def _document_reader(value: dict[str, Any]) -> type[Reader] | None:
    if _is_gemini(value):
        from prune_mcp.sessions.gemini.session import Gemini

        return Gemini
    if _is_opencode(value):
        from prune_mcp.sessions.opencode.files import OpencodeExport, OpencodeTree

        return OpencodeExport if "info" in value else OpencodeTree
    if _is_codex(value):
        from prune_mcp.sessions.codex.document import CodexDocument

        return CodexDocument
    return reader_of_export(value)


def _is_codex(value: dict[str, Any]) -> bool:
    """Whether this is a rollout of the first Codex; its header may be all that was read."""
    header = value.get("session")
    told = isinstance(header, dict) and isinstance(header.get("id"), str) and "timestamp" in header
    return told and value.keys() <= {"session", "items"}


def _is_gemini(value: dict[str, Any]) -> bool:
    if any(key in value for key in GEMINI_CHANGES):
        return True
    if "sessionId" in value:
        return "projectHash" in value or isinstance(value.get("messages"), list)
    said = isinstance(value.get("id"), str) and "content" in value and "timestamp" in value
    return said and isinstance(kind := value.get("type"), str) and kind in GEMINI_TYPES


def _is_opencode(value: dict[str, Any]) -> bool:
    """Whether this is an exported session, or the session's own file in the tree."""
    info = value.get("info")
    if isinstance(info, dict):
        # Trajectories have such fields as well.
        return isinstance(info.get("id"), str) and "exit_status" not in info
    return isinstance(value.get("id"), str) and "projectID" in value and "directory" in value
