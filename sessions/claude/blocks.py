"""The blocks of a Claude Code entry's content, and what each of them says."""

from __future__ import annotations

from typing import Any

from prune_mcp.sessions.content import compact_json, image_count, image_data, is_image, result_images, result_text
from prune_mcp.sessions.model import Block, Place
from prune_mcp.sessions.pdf import visible_size
from prune_mcp.sessions.tokens import utf8_size


def blocks_of(entry: int, content: Any) -> list[Block]:
    """The blocks of an entry's content: a string is one text, a list holds parts, anything else nothing."""
    if isinstance(content, str):
        return [Block("text", Place(entry, -1), utf8_size(content), len(content))]
    if not isinstance(content, list):
        return []
    if len(content) == 1:
        # Nearly every entry; such a list takes less room than one that grew.
        return [_block(Place(entry, 0), content[0])]
    return [_block(Place(entry, at), part) for at, part in enumerate(content)]


def _block(place: Place, part: Any) -> Block:
    if isinstance(part, str):
        return Block("text", place, utf8_size(part), len(part))
    kind = part.get("type") if isinstance(part, dict) else None
    if kind == "tool_result":
        return _result(place, part)
    if kind == "tool_use":
        return _call(place, part)
    if kind == "text":
        text = _string(part.get("text"))
        return Block("text", place, utf8_size(text), len(text))
    if kind == "thinking":
        text = _string(part.get("thinking"))
        return Block("thinking", place, utf8_size(text), len(text), signed=bool(part.get("signature")))
    if kind == "redacted_thinking":
        return Block("thinking", place, signed=True)
    if is_image(part):
        text = part_text(part)
        return Block("image", place, utf8_size(text), len(text), 1)
    text = compact_json(part)
    return Block("other", place, visible_size(part, text), len(text))


def _result(place: Place, part: dict[str, Any]) -> Block:
    content = part.get("content")
    text = content if isinstance(content, str) else result_text(content)
    images = 0 if isinstance(content, str) else image_count(content)
    call_id = _string(part.get("tool_use_id"))
    size, failed = visible_size(content, text), bool(part.get("is_error"))
    return Block("result", place, size, len(text), images, call_id, "", failed)


def _call(place: Place, part: dict[str, Any]) -> Block:
    tool = _string(part.get("name"))
    text = tool + compact_json(part.get("input"))
    return Block("call", place, utf8_size(text), len(text), 0, _string(part.get("id")), tool)


def inputs(content: Any) -> list[Any]:
    """The arguments of the calls in a content."""
    if not isinstance(content, list):
        return []
    return [part.get("input") for part in content if isinstance(part, dict) and part.get("type") == "tool_use"]


def part_at(content: Any, at: int) -> Any:
    """The part of a content that a block stands for."""
    return content if at < 0 else content[at]


def part_text(part: Any) -> str:
    """What a part says; see `Conversation.text`."""
    if isinstance(part, str):
        return part
    kind = part.get("type") if isinstance(part, dict) else None
    if kind == "tool_result":
        return result_text(part.get("content"))
    if kind == "tool_use":
        return compact_json(part.get("input"))
    if kind == "text":
        return _string(part.get("text"))
    if kind == "thinking":
        return _string(part.get("thinking"))
    if kind == "redacted_thinking" or image_data(part):
        return ""
    return compact_json(part)


def part_images(part: Any) -> list[tuple[str, str]]:
    """The images of a result or image part, as (media type, base64 data)."""
    return result_images(part.get("content") if part.get("type") == "tool_result" else [part])


def _string(value: Any) -> str:
    return value if isinstance(value, str) else ""
