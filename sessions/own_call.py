"""Whether a transcript holds the very call that is being answered: then it is the caller's own session."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from prune_mcp.sessions.content import parts
from prune_mcp.sessions.jsontext import loads

CALL_TYPES = ("tool_use", "toolCall")


def holds_call(tail: bytes, tool: str, arguments: Mapping[str, Any]) -> bool:
    """Whether the end of a transcript holds a call without a result, of a tool whose name ends with `tool`, with
    these arguments. `tail` may begin inside a line, which is then passed over."""
    open_calls: set[str] = set()
    answered: set[str] = set()
    for line in tail.split(b"\n"):
        if b"tool" in line:
            for message in _messages(line):
                answered.update(_answers(message))
                open_calls.update(_calls(message, tool, arguments))
    return not open_calls <= answered


def _messages(line: bytes) -> Iterator[dict[str, Any]]:
    try:
        entry = loads(line)
    except ValueError:
        return
    message = entry.get("message") if isinstance(entry, dict) else None
    if isinstance(message, dict):
        yield message


def _calls(message: dict[str, Any], tool: str, arguments: Mapping[str, Any]) -> Iterator[str]:
    for part in parts(message.get("content")):
        if isinstance(part, dict) and part.get("type") in CALL_TYPES and str(part.get("name")).endswith(tool):
            given = part.get("input", part.get("arguments"))
            if (given or {}) == dict(arguments) and isinstance(part.get("id"), str):
                yield part["id"]


def _answers(message: dict[str, Any]) -> Iterator[str]:
    for part in [message, *parts(message.get("content"))]:
        id = part.get("tool_use_id", part.get("toolCallId")) if isinstance(part, dict) else None
        if isinstance(id, str):
            yield id
