"""What the entries of a pi session say: the content of each kind, its blocks, and their texts."""

from __future__ import annotations

from typing import Any

from prune_mcp.sessions.content import (
    compact_json,
    image_count,
    image_data,
    is_image,
    result_images,
    result_text,
    string,
)
from prune_mcp.sessions.model import Block, Place
from prune_mcp.sessions.pdf import visible_size
from prune_mcp.sessions.tokens import utf8_size

# The roles of messages that are summaries.
SUMMARIES = ("branchSummary", "compactionSummary")


def content_of(entry: dict[str, Any]) -> Any:
    """The content of an entry: a string, a list of parts, or None where it says nothing."""
    kind = entry.get("type")
    if kind == "message":
        return _message_content(entry.get("message"))
    if kind == "custom_message":
        return entry.get("content")
    if kind in ("compaction", "branch_summary"):
        return entry.get("summary")
    if kind == "context_edit":
        replacement = entry.get("replacement")
        return replacement.get("content") if isinstance(replacement, dict) else None
    return None


def _message_content(message: Any) -> Any:
    if not isinstance(message, dict):
        return None
    role = message.get("role")
    if role == "bashExecution":
        return _bash_text(message)
    if role in SUMMARIES:
        return message.get("summary")
    content = message.get("content")
    sections = message.get("sections")
    if role == "system" and not content and isinstance(sections, dict):
        return "\n\n".join(text for text in sections.values() if isinstance(text, str))
    return content


def _bash_text(message: dict[str, Any]) -> str:
    """A command that the person ran, as the model is told of it."""
    output = string(message.get("output"))
    text = f"Ran `{string(message.get('command'))}`\n"
    text += f"```\n{output}\n```" if output else "(no output)"
    if message.get("cancelled"):
        text += "\n\n(command cancelled)"
    elif message.get("exitCode"):
        text += f"\n\nCommand exited with code {message['exitCode']}"
    return text


def call_arguments(entry: dict[str, Any]) -> list[Any]:
    """The arguments of the calls in an entry."""
    content = content_of(entry)
    if not isinstance(content, list):
        return []
    return [part.get("arguments") for part in content if isinstance(part, dict) and part.get("type") == "toolCall"]


def result_block(entry: int, content: Any, call_id: str, tool: str, error: bool) -> Block:
    """The block of a tool result, which is the whole content of its entry."""
    text = result_text(content)
    images = image_count(content)
    return Block("result", Place(entry, -1), visible_size(content, text), len(text), images, call_id, tool, error)


def blocks_of(entry: int, content: Any) -> list[Block]:
    """The blocks of any other content: a string is one text, a list holds parts, anything else nothing."""
    if isinstance(content, str):
        return [Block("text", Place(entry, -1), utf8_size(content), len(content))]
    if not isinstance(content, list):
        return []
    return [_block(Place(entry, at), part) for at, part in enumerate(content)]


def _block(place: Place, part: Any) -> Block:
    kind = part.get("type") if isinstance(part, dict) else None
    text = part_text(part)
    block = Block("other", place, utf8_size(text), len(text))
    if kind == "text" or isinstance(part, str):
        block.kind = "text"
    elif kind == "thinking":
        block.kind = "thinking"
        block.signed = bool(part.get("thinkingSignature"))
    elif kind == "toolCall":
        block.kind = "call"
        block.call_id = string(part.get("id"))
        block.tool = string(part.get("name"))
        block.size += utf8_size(block.tool)
        block.chars += len(block.tool)
    elif is_image(part):
        block.kind = "image"
        block.images = 1
    return block


def block_text(block: Block, content: Any) -> str:
    """What a block says; see `Conversation.text`."""
    if block.kind == "result":
        return result_text(content)
    return content if block.place.at < 0 else part_text(content[block.place.at])


def block_images(block: Block, content: Any) -> list[tuple[str, str]]:
    """The images of a block, as (media type, base64 data)."""
    return result_images(content if block.kind == "result" else [content[block.place.at]])


def part_text(part: Any) -> str:
    """What a part of a content says."""
    if isinstance(part, str):
        return part
    kind = part.get("type") if isinstance(part, dict) else None
    if kind == "text":
        return string(part.get("text"))
    if kind == "thinking":
        return string(part.get("thinking"))
    if kind == "toolCall":
        return compact_json(part.get("arguments"))
    return "" if image_data(part) else compact_json(part)
