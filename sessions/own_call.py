"""Whether a transcript holds the very call that is being answered: then it is the caller's own session."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from prune_mcp.sessions.content import parts
from prune_mcp.sessions.jsontext import loads
from prune_mcp.sessions.messages.openai_fields import parsed

if TYPE_CHECKING:
    from prune_mcp.sessions.session_file import SessionFile

CALL_TYPES = ("tool_use", "toolCall", "function_call")
# One of these stands in every line with a call or a result.
MARKS = (b"tool", b"function_call")
# A call that waits for its result is among these.
NEWEST_PARTS = 32


def holds_call(tail: bytes, tool: str, arguments: Mapping[str, Any]) -> bool:
    """Whether the end of a transcript holds a call without a result, of a tool whose name ends with `tool`, with
    these arguments. `tail` may begin inside a line, which is then passed over."""
    # Of several live sessions most never called this tool, and need no parsing.
    if tool.encode() not in tail:
        return False
    open_calls: set[str] = set()
    answered: set[str] = set()
    for line in tail.split(b"\n"):
        if any(mark in line for mark in MARKS):
            for message in _messages(line):
                answered.update(_answers(message))
                open_calls.update(_calls(message, tool, arguments))
    return not open_calls <= answered


def ending(file: SessionFile) -> bytes:
    """How a session inside a database ends, as `holds_call` takes it; nothing where it cannot be read."""
    from prune_mcp.sessions.opencode.database import newest_parts

    return b"\n".join(newest_parts(file, NEWEST_PARTS))


def _messages(line: bytes) -> Iterator[dict[str, Any]]:
    """What a line says: a message, or in Codex's rollouts an item, which is a call or a result by itself."""
    try:
        entry = loads(line)
    except ValueError:
        return
    if not isinstance(entry, dict):
        return
    for key in ("message", "payload"):
        if isinstance(entry.get(key), dict):
            yield entry[key]
    yield from _with_results(entry)


def _with_results(entry: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """The calls of hosts that keep them in one object with their results: Gemini CLI and opencode."""
    for call in parts(entry.get("toolCalls")):
        if isinstance(call, dict):
            yield _call(call.get("id"), call.get("name"), call.get("args"), bool(call.get("result")))
    for part in [entry, *parts(entry.get("content"))]:
        state = part.get("state") if isinstance(part, dict) and part.get("type") == "tool" else None
        if isinstance(state, dict):
            done = state.get("status") in ("completed", "error")
            id, name = part.get("callID", part.get("id")), part.get("tool", part.get("name"))
            yield _call(id, name, state.get("input"), done)


def _call(id: Any, name: Any, arguments: Any, done: bool) -> dict[str, Any]:
    call = {"type": CALL_TYPES[0], "id": id, "name": name, "input": arguments}
    return {"content": [call, {"tool_use_id": id}] if done else [call]}


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
