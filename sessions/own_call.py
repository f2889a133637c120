"""Whether a transcript holds the very call that is being answered: then it is the caller's own session."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from prune_mcp.sessions.content import parts
from prune_mcp.sessions.jsontext import loads
from prune_mcp.sessions.openai_fields import parsed

CALL_TYPES = ("tool_use", "toolCall", "function_call")
# One of these stands in every line with a call or a result.
MARKS = (b"tool", b"function_call")


def holds_call(tail: bytes, tool: str, arguments: Mapping[str, Any]) -> bool:
    """Whether the end of a transcript holds a call without a result, of a tool whose name ends with `tool`, with
    these arguments. `tail` may begin inside a line, which is then passed over."""
    open_calls: set[str] = set()
    answered: set[str] = set()
    for line in tail.split(b"\n"):
        if any(mark in line for mark in MARKS):
            for message in _messages(line):
                answered.update(_answers(message))
                open_calls.update(_calls(message, tool, arguments))
    return not open_calls <= answered


def _messages(line: bytes) -> Iterator[dict[str, Any]]:
    """What a line says: a message, or in Codex's rollouts an item, which is a call or a result by itself."""
    try:
        entry = loads(line)
    except ValueError:
        return
    for key in ("message", "payload") if isinstance(entry, dict) else ():
        if isinstance(entry.get(key), dict):
            yield entry[key]


def _calls(message: dict[str, Any], tool: str, arguments: Mapping[str, Any]) -> Iterator[str]:
    for part in [message, *parts(message.get("content"))]:
        if isinstance(part, dict) and part.get("type") in CALL_TYPES and str(part.get("name")).endswith(tool):
            given = parsed(part.get("input", part.get("arguments")))
            id = part.get("call_id", part.get("id"))
            if (given or {}) == dict(arguments) and isinstance(id, str):
                yield id


def _answers(message: dict[str, Any]) -> Iterator[str]:
    for part in [message, *parts(message.get("content"))]:
        id = _answered(part) if isinstance(part, dict) else None
        if isinstance(id, str):
            yield id


def _answered(part: dict[str, Any]) -> Any:
    if part.get("type") == "function_call_output":
        return part.get("call_id")
    return part.get("tool_use_id", part.get("toolCallId"))
