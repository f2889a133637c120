"""What a message of a ChatGPT export says: one content, whose type decides what its fields mean."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from prune_mcp.sessions.content import compact_json, string
from prune_mcp.sessions.exports.parts import Part
from prune_mcp.sessions.messages.openai_fields import parsed
from prune_mcp.sessions.model import BlockKind

# What the person told about themselves once, repeated hidden in every conversation; and what the model kept of it.
CONTEXT_FIELDS = ("user_profile", "user_instructions", "model_set_context", "structured_context")
# Fields of other contents that hold words, in the order in which they are read.
TEXT_FIELDS = ("title", "url", "name", "summary", "text", "result", "content")
IMAGE = "image_asset_pointer"
FAILED = ("failed", "error")


def parts_of(message: dict[str, Any]) -> list[Part]:
    """The parts of a message: a tool's whole content is its output, one sent to a tool is a call."""
    content = message.get("content")
    if isinstance(content, str):
        content = {"parts": [content]}
    if not isinstance(content, dict):
        return []
    role = author(message)
    if role == "tool":
        tool = string(message["author"].get("name"))
        return [Part("result", content, ("content",), "", tool, _failed(message, content), _images(content))]
    if role == "assistant" and (tool := recipient(message)):
        return [Part("call", content, ("content",), "", tool)]
    kind: BlockKind = "thinking" if _channel(message) == "analysis" else "text"
    parts = [*_content_parts(content, kind), *_attachments(message)]
    return [part for part in parts if part.kind != "text" or said(part.kind, part.value)]


def author(message: dict[str, Any]) -> str:
    """The role of who wrote a message, "" where it tells none."""
    by = message.get("author")
    return string(by.get("role")) if isinstance(by, dict) else ""


def recipient(message: dict[str, Any]) -> str:
    """The tool a message was sent to, "" for none."""
    to = string(message.get("recipient"))
    return "" if to in ("all", "assistant", "user") else to


def is_hidden(message: dict[str, Any]) -> bool:
    """Whether the host put a message there in the person's name."""
    content, metadata = message.get("content"), message.get("metadata")
    kind = string(content.get("content_type")) if isinstance(content, dict) else ""
    flags = metadata if isinstance(metadata, dict) else {}
    shown = not (flags.get("is_visually_hidden_from_conversation") or flags.get("is_user_system_message"))
    return kind.endswith("_editable_context") or not shown


def _content_parts(content: dict[str, Any], kind: BlockKind) -> Iterator[Part]:
    parts, thoughts = content.get("parts"), content.get("thoughts")
    if isinstance(parts, list):
        yield from (_part(("content", "parts", at), part, kind) for at, part in enumerate(parts))
    elif isinstance(thoughts, list):
        yield from (Part("thinking", item, ("content", "thoughts", at)) for at, item in enumerate(thoughts))
    elif content.get("content_type") == "reasoning_recap":
        yield Part("other", content, ("content",))
    else:
        yield Part(kind, content, ("content",))


def _part(key: tuple[str | int, ...], part: Any, kind: BlockKind) -> Part:
    if isinstance(part, dict) and part.get("content_type") == IMAGE:
        return Part("image", part, key, images=1)
    spoken = isinstance(part, str) or (isinstance(part, dict) and isinstance(part.get("text"), str))
    return Part(kind if spoken else "other", part, key)


def _attachments(message: dict[str, Any]) -> Iterator[Part]:
    metadata = message.get("metadata")
    listed = metadata.get("attachments") if isinstance(metadata, dict) else None
    for at, file in enumerate(listed if isinstance(listed, list) else []):
        if isinstance(file, dict) and string(file.get("name")):
            yield Part("other", {"file_name": file["name"]}, ("metadata", "attachments", at))


def said(kind: BlockKind, value: Any) -> str:
    """The text of a part; see `Conversation.text`."""
    if isinstance(value, str):
        return value
    if not isinstance(value, dict) or kind == "image":
        return compact_json(value)
    if kind == "call":
        given = arguments(value)
        return given if isinstance(given, str) else compact_json(given)
    if isinstance(value.get("file_name"), str):
        return str(value["file_name"])
    return _content_text(value)


def arguments(content: dict[str, Any]) -> Any:
    """What was sent to a tool: a JSON value, or a string where it is none (code, or a query in words)."""
    return parsed(_content_text(content))


def _content_text(content: dict[str, Any]) -> str:
    """The words of any content; one without a known field as JSON, so that nothing is lost."""
    parts = content.get("parts")
    if isinstance(parts, list):
        return "\n".join(part if isinstance(part, str) else said("other", part) for part in parts)
    fields = [*CONTEXT_FIELDS, *TEXT_FIELDS]
    found = [content[field] for field in fields if isinstance(content.get(field), str) and content[field]]
    told = any(isinstance(content.get(field), str) for field in ("text", "result", "content", *CONTEXT_FIELDS))
    return "\n".join(found) if told or found else compact_json(content)


def _failed(message: dict[str, Any], content: dict[str, Any]) -> bool:
    metadata = message.get("metadata")
    run = metadata.get("aggregate_result") if isinstance(metadata, dict) else None
    status = string(run.get("status")) if isinstance(run, dict) else ""
    return status.startswith(FAILED) or content.get("content_type") == "system_error"


def _images(content: dict[str, Any]) -> int:
    parts = content.get("parts")
    listed = parts if isinstance(parts, list) else []
    return sum(isinstance(part, dict) and part.get("content_type") == IMAGE for part in listed)


def _channel(message: dict[str, Any]) -> str:
    """The channel `analysis` is the model's own; it stands in the message or in its metadata."""
    metadata = message.get("metadata")
    beside = metadata.get("channel") if isinstance(metadata, dict) else None
    return string(message.get("channel")) or string(beside)
