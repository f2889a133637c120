"""Which wire format a message array or request body is in, told by its content."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from prune_mcp.sessions.model import Format, SessionError

FORMATS: tuple[Format, ...] = ("anthropic", "openai-chat", "openai-responses")
NAME_IT = f"Name the format: {', '.join(FORMATS)}."

# Marks that only one format has in its structure, and marks in content that others may carry along.
STRUCTURE: dict[str, Format] = {
    "type tool_use": "anthropic",
    "type tool_result": "anthropic",
    "role tool": "openai-chat",
    "role function": "openai-chat",
    "key tool_calls": "openai-chat",
    "key function_call": "openai-chat",
    "item": "openai-responses",
}
CONTENT: dict[str, Format] = {
    **dict.fromkeys(("type thinking", "type redacted_thinking", "type image", "type document"), "anthropic"),
    **dict.fromkeys(("type server_tool_use", "type web_search_tool_result"), "anthropic"),
    **dict.fromkeys(("type image_url", "type input_audio", "type file"), "openai-chat"),
    **dict.fromkeys(("key reasoning_content", "key refusal", "key audio"), "openai-chat"),
    **dict.fromkeys(("type input_text", "type output_text"), "openai-responses"),
    **dict.fromkeys(("type input_image", "type input_file"), "openai-responses"),
}
ITEMS = frozenset({"reasoning", "item_reference", "compaction", "mcp_list_tools"})
ITEM_ENDINGS = ("_call", "_call_output", "_approval_request", "_approval_response")
KEYS = ("tool_calls", "function_call", "reasoning_content", "refusal", "audio")


def recognise(payload: list[Any] | dict[str, Any]) -> Format:
    """The format of an array or body.

    Raises:
        SessionError: none fits, or several do; the message says what was seen and how to name the format.
    """
    if isinstance(payload, dict):
        return _of_body(payload)
    return _of_entries(payload) or "anthropic"


def _of_body(body: Mapping[str, Any]) -> Format:
    if "messages" in body and "input" in body:
        raise SessionError(f"The request body has both `messages` and `input`. {NAME_IT}")
    if "input" in body:
        return "openai-responses"
    if "messages" not in body:
        keys = ", ".join(map(repr, body)) or "none"
        raise SessionError(f"The request body has neither `messages` nor `input`; keys seen: {keys}.")
    entries = body["messages"]
    if not isinstance(entries, list):
        raise SessionError(f"`messages` must be an array, not {type(entries).__name__}.")
    return _of_entries(entries) or _of_tools(body) or "anthropic"


def _of_tools(body: Mapping[str, Any]) -> Format | None:
    """What a body of plain texts tells by its tool definitions."""
    tools = body.get("tools")
    for tool in tools if isinstance(tools, list) else []:
        if isinstance(tool, dict):
            return "openai-chat" if "function" in tool else "anthropic"
    return None


def _of_entries(entries: list[Any]) -> Format | None:
    """The one format that the entries' marks name, or None where they are plain text."""
    marks = {mark: None for entry in entries if isinstance(entry, dict) for mark in _marks(entry)}
    if entries and "message" not in marks:
        count = len(entries)
        raise SessionError(f"No message of a known format among {count} elements; {_seen(entries)}. {NAME_IT}")
    for table in (STRUCTURE, CONTENT):
        found = {table[mark]: mark for mark in marks if mark in table}
        if len(found) > 1:
            seen = ", ".join(f"{mark} ({format})" for format, mark in found.items())
            raise SessionError(f"The messages mix several formats: {seen}. {NAME_IT}")
        if found:
            return next(iter(found))
    if "type message" in marks:
        return "openai-responses"
    return "openai-chat" if "role system" in marks else None


def _marks(entry: Mapping[str, Any]) -> Iterator[str]:
    role, kind, content = entry.get("role"), entry.get("type"), entry.get("content")
    if isinstance(role, str):
        yield "message"
        if kind == "message":
            yield "type message"
        yield "role system" if role == "developer" else f"role {role}"
    elif isinstance(kind, str) and (kind in ITEMS or kind.endswith(ITEM_ENDINGS)):
        yield "message"
        yield "item"
    yield from (f"key {key}" for key in KEYS if key in entry)
    for part in content if isinstance(content, list) else ():
        if isinstance(part, dict) and isinstance(part.get("type"), str):
            yield f"type {part['type']}"


def _seen(entries: Iterable[Any]) -> str:
    keys = {key: None for entry in entries if isinstance(entry, dict) for key in entry}
    if keys:
        return "keys seen: " + ", ".join(map(repr, list(keys)[:12]))
    return "seen: " + ", ".join(sorted({type(entry).__name__ for entry in entries}))
