"""What a message of a claude.ai export says: its blocks, else its flattened text, and what was attached to it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from prune_mcp.sessions.content import compact_json, image_count, image_data, is_image, result_text, string
from prune_mcp.sessions.exports.parts import Part
from prune_mcp.sessions.model import BlockKind

# What the export's flattened text has in the place of every block that is not text.
_PLACEHOLDER = re.compile(r"\n*```\n*This block is not supported on your current device yet\.\n*```\n*")
KINDS: dict[str, BlockKind] = {
    "text": "text",
    "voice_note": "text",
    "thinking": "thinking",
    "redacted_thinking": "thinking",
    "tool_use": "call",
    "tool_result": "result",
}


def parts_of(message: dict[str, Any]) -> list[Part]:
    """The parts of a message. The flattened text counts only where no block says anything."""
    content = message.get("content")
    listed = content if isinstance(content, list) else []
    found = [_part(("content", at), block) for at, block in enumerate(listed)]
    if isinstance(content, str):
        found.append(Part("text", content, ("content",)))
    if not any(map(_speaks, found)) and isinstance(text := message.get("text"), str):
        found.append(Part("text", text, ("text",)))
    return [part for part in found if part.kind != "text" or _speaks(part)] + list(_attached(message))


def _speaks(part: Part) -> bool:
    if part.kind in ("text", "thinking"):
        return said(part.kind, part.value) != ""
    return part.kind != "other"


def _part(key: tuple[str, int], block: Any) -> Part:
    if isinstance(block, str):
        return Part("text", block, key)
    if not isinstance(block, dict):
        return Part("other", block, key)
    kind = KINDS.get(str(block.get("type")), "image" if is_image(block) else "other")
    if kind == "call":
        return Part(kind, block, key, string(block.get("id")), string(block.get("name")) or "tool")
    if kind == "result":
        call, tool = string(block.get("tool_use_id")), string(block.get("name"))
        images = image_count(block.get("content"))
        return Part(kind, block, key, call, tool, bool(block.get("is_error")), images)
    return Part(kind, block, key, images=int(kind == "image"))


def _attached(message: dict[str, Any]) -> Iterator[Part]:
    """Attachments with their text, which may be all a message has; of other files the name."""
    for field in ("attachments", "files", "files_v2"):
        listed = message.get(field)
        for at, file in enumerate(listed if isinstance(listed, list) else []):
            if not isinstance(file, dict):
                continue
            if string(file.get("extracted_content")):
                yield Part("text", file, (field, at))
            elif string(file.get("file_name")):
                yield Part("other", file, (field, at))


def said(kind: BlockKind, value: Any) -> str:
    """The text of a part; see `Conversation.text`."""
    if kind == "result":
        return result_text(value.get("content"))
    if kind == "call":
        given = value.get("input")
        return given if isinstance(given, str) else compact_json(given)
    if isinstance(value, str):
        return _without_placeholders(value)
    if not isinstance(value, dict):
        return compact_json(value)
    if kind == "thinking":
        return string(value.get("thinking")) or string(value.get("data")) or _summaries(value.get("summaries"))
    if kind == "text":
        return _text(value)
    if kind == "image":
        return "" if image_data(value) else compact_json(value)
    return string(value.get("file_name")) or compact_json(value)


def _text(value: dict[str, Any]) -> str:
    if "extracted_content" in value:
        lines = (value.get("file_name"), value.get("extracted_content"))
    elif value.get("type") == "voice_note":
        lines = (value.get("title"), value.get("text"))
    else:
        return _without_placeholders(string(value.get("text")))
    return "\n".join(line for line in lines if isinstance(line, str) and line)


def _summaries(summaries: Any) -> str:
    """What stands for thinking whose own text the host kept to itself."""
    listed = summaries if isinstance(summaries, list) else []
    return "\n".join(string(item.get("summary")) for item in listed if isinstance(item, dict))


def _without_placeholders(text: str) -> str:
    return _PLACEHOLDER.sub("\n\n", text).strip("\n") if _PLACEHOLDER.search(text) else text
