"""What stands in a request beside its messages: the system prompt and the tools, as far as that is told."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from prune_mcp.engine.usage.slices import Slice
from prune_mcp.sessions.content import compact_json, parts, result_text
from prune_mcp.sessions.jsontext import loads
from prune_mcp.sessions.model import Conversation
from prune_mcp.sessions.tail import Tail
from prune_mcp.sessions.tokens import text_tokens

# Where bodies of requests have what the model is told first, and their tools.
INSTRUCTIONS = ("system", "instructions")
TOOLS = ("tools", "functions")
# A header may be large, yet it is among the first lines.
HEADER_LINES = 3


def outside(conversation: Conversation, payload: object = None) -> list[Slice]:
    """The slices of the request body passed in, or of what the transcript tells of its requests."""
    if isinstance(payload, Mapping):
        return [*_instructions(payload), *_tools(payload, TOOLS)]
    if conversation.format == "codex" and conversation.path:
        header = _header(conversation.path)
        base = header.get("base_instructions")
        text = base.get("text") if isinstance(base, dict) else base
        told = [Slice("system", "instructions", text_tokens(text))] if isinstance(text, str) and text else []
        return [*told, *_tools(header, ("dynamic_tools",))]
    return []


def instruction_texts(payload: object) -> list[str]:
    """The texts that a request body tells the model first."""
    if not isinstance(payload, Mapping):
        return []
    return [text for key in INSTRUCTIONS for part in parts(payload.get(key)) if (text := result_text([part]))]


def _instructions(body: Mapping[str, Any]) -> Iterator[Slice]:
    for key in INSTRUCTIONS:
        for part in parts(body.get(key)):
            if text := result_text([part]):
                yield Slice("system", key, text_tokens(text))


def _tools(body: Mapping[str, Any], keys: tuple[str, ...]) -> Iterator[Slice]:
    for key in keys:
        for tool in parts(body.get(key)):
            yield Slice("tools", _tool_name(tool), text_tokens(compact_json(tool)))


def _tool_name(tool: Any) -> str:
    """What a tool is called, however its kind is defined; hosted ones go by their type."""
    for value in (tool, tool.get("function"), tool.get("custom")) if isinstance(tool, dict) else ():
        if isinstance(value, dict) and isinstance(name := value.get("name"), str):
            return name
    kind = tool.get("type") if isinstance(tool, dict) else None
    return kind if isinstance(kind, str) else "unnamed"


def _header(path: str) -> dict[str, Any]:
    """The header of a rollout, empty where there is none near its start."""
    tail = Tail(Path(path))
    with tail.open() as file:
        for _, line in zip(range(HEADER_LINES), tail.lines(file), strict=False):
            try:
                value = loads(line[1])
            except ValueError:
                continue
            if isinstance(value, dict) and value.get("type") == "session_meta":
                payload = value.get("payload")
                return payload if isinstance(payload, dict) else {}
    return {}
