"""What one message of a trajectory says, whichever agent wrote it, and commands that stand within a text."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

from prune_mcp.sessions.content import compact_json, image_count, string
from prune_mcp.sessions.exports.parts import Key, Part
from prune_mcp.sessions.messages.openai_fields import parsed
from prune_mcp.sessions.model import Role

# How the lines of a task end or begin that only introduce it.
INTRODUCES = (":", ": ")
TAG = "<"
REASONING = ("thinking_blocks", "reasoning_content", "reasoning")


class Turn(NamedTuple):
    """One message. `answers`: the id of the call whose output it is, where it tells one.

    `ends`: what the run came to; an output where a call is still open. `demo`: shown as an example of another run.
    """

    role: Role
    parts: list[Part]
    time: Any = None
    answers: str = ""
    failed: bool = False
    ends: bool = False
    demo: bool = False


class Span(NamedTuple):
    """A command in a text: `start` to `end` is the command, `outer_start` to `outer_end` with its fence."""

    outer_start: int
    start: int
    end: int
    outer_end: int


def argument_text(value: Any) -> str:
    """The arguments of a call as text: free text as it is."""
    return value if isinstance(value, str) else compact_json(value)


def heard(content: Any, key: Key = ("content",)) -> list[Part]:
    """A content as the one part that a message of the system or the user is."""
    return [] if content is None else [Part("text", content, key, images=image_count(content))]


def one_text(content: Any) -> tuple[str, Key] | None:
    """The text of a content that holds one, and the way there from the message."""
    if isinstance(content, str):
        return content, ("content",)
    if isinstance(content, list) and len(content) == 1 and isinstance(content[0], dict):
        text = content[0].get("text")
        return (text, ("content", 0, "text")) if isinstance(text, str) else None
    return None


def split_text(text: str, key: Key, span: Span, tool: str) -> list[Part]:
    """A text with a command in it: what stands before, the call, and what stands behind."""
    before, after = text[: span.outer_start].strip(), text[span.outer_end :].strip()
    parts = [Part("text", before, key)] if before else []
    parts.append(Part("call", {"command": text[span.start : span.end].strip()}, key, "", tool))
    return [*parts, Part("text", after, key)] if after else parts


def native_calls(message: dict[str, Any]) -> Iterator[Part]:
    """The calls that stand beside the content, as OpenAI has them."""
    calls = message.get("tool_calls")
    for at, call in enumerate(calls if isinstance(calls, list) else []):
        body = call.get("function") if isinstance(call, dict) else None
        if isinstance(body, dict):
            id, name = string(call.get("id")), string(body.get("name"))
            yield Part("call", parsed(body.get("arguments")), ("tool_calls", at), id, name or "tool")


def thoughts(message: dict[str, Any]) -> Iterator[Part]:
    """Reasoning beside the content; gateways write the same under several names."""
    for field in REASONING:
        value = message.get(field)
        if isinstance(value, str) and value:
            yield Part("thinking", value, (field,))
            return
        for at, block in enumerate(value if isinstance(value, list) else []):
            text = block.get("thinking") if isinstance(block, dict) else None
            if isinstance(text, str):
                yield Part("thinking", text, (field, at), signed=bool(block.get("signature")))
        if value:
            return


def task_line(content: Any) -> str:
    """The line of a task that says what it is about, without what merely introduces it."""
    found = one_text(content)
    lines = [line.strip() for line in (found[0] if found else "").splitlines()[:40]]
    telling = (line for line in lines if line and not line.startswith(TAG) and not line.endswith(INTRODUCES))
    return next(telling, next(filter(None, lines), ""))
