"""JSON values as text that people read and search: strings stand as they are, not escaped."""

from __future__ import annotations

from base64 import b64decode
from collections.abc import Collection
from typing import Any

from prune_mcp.sessions.content import IMAGE_TYPES, TEXT_TYPES

# What says nothing in the parts of a content that no reader knows: what they are, and data for programs.
SILENT = frozenset(
    {
        "type", "id", "data", "blob", "base64", "signature", "encrypted_content", "cache_control", "media_type",
        "mimeType", "thoughtSignature", "tool_use_id",
    }
)  # fmt: skip
# Documents of these types are text.
TEXT_MEDIA = ("text/", "application/json", "application/xml")
DATA_TYPES = IMAGE_TYPES | {"audio", "input_audio"}


def readable(value: Any) -> str:
    """A value as text: `name: value` for each field that says something, on a line of its own."""
    if type(value) is str:
        return value
    lines = []
    waiting = [("", value)]
    while waiting:
        name, item = waiting.pop()
        if type(item) is dict:
            within = f"{name}." if name else ""
            waiting += [(f"{within}{key}", inner) for key, inner in reversed(item.items())]
        elif type(item) is list:
            waiting += [(name, inner) for inner in reversed(item)]
        elif item is not None and item != "":
            text = str(item).lower() if type(item) is bool else item
            lines.append(f"{name}: {text}" if name else str(text))
    return "\n".join(lines)


def strings_in(value: Any, silent: Collection[str] = SILENT) -> list[str]:
    """The strings in a value, each once, in order, without those in fields of these names."""
    found: dict[str, None] = {}
    waiting = [value]
    while waiting:
        item = waiting.pop()
        if type(item) is dict:
            waiting += [inner for key, inner in reversed(item.items()) if key not in silent]
        elif type(item) is list:
            waiting += reversed(item)
        elif type(item) is str and item:
            found[item] = None
    return list(found)


def words_of(content: Any) -> str:
    """What a content says: the text of its parts, each on a line of its own; images and other data say nothing."""
    if type(content) is str:
        return content
    if type(content) is list:
        return "\n".join(words for part in content if (words := part_words(part)))
    return part_words(content)


def part_words(part: Any) -> str:
    """What one part of a content says: a text its text, a document what it holds, anything else its strings."""
    if type(part) is str:
        return part
    if type(part) is not dict:
        return ""
    kind = part["type"] if type(part.get("type")) is str else ""
    text = part.get("text")
    if kind in TEXT_TYPES and type(text) is str:
        return text
    if kind in DATA_TYPES:
        return ""
    words = strings_in(part)
    if kind == "document":
        words += _source_words(part.get("source"))
    return "\n".join(words)


def _source_words(source: Any) -> list[str]:
    """The text of a document that is one, as it stands or in base64; `data` holds the bytes of others as well."""
    data = source.get("data") if type(source) is dict else None
    if type(data) is not str:
        return []
    if source.get("type") == "text":
        return [data]
    text = source.get("type") == "base64" and str(source.get("media_type")).lower().startswith(TEXT_MEDIA)
    return [_decoded(data)] if text else []


def _decoded(data: str) -> str:
    """The text in base64, "" where that is damaged; it may be cut off."""
    try:
        return b64decode(data[: len(data) // 4 * 4]).decode("utf-8", "replace")
    except ValueError:
        return ""
