"""What the content of a message or a tool result says, whatever host or provider wrote it.

Content is a string, a list of parts, a single part, or nothing. Parts are objects with a `type`; some hosts
put bare strings among them.
"""

from __future__ import annotations

import json
from typing import Any

import orjson

from prune_mcp.sessions.model import SessionError

TEXT_TYPES = frozenset({"text", "input_text", "output_text"})
IMAGE_TYPES = frozenset({"image", "image_url", "input_image"})


def compact_json(value: Any) -> str:
    """`value` as JSON without blanks, not escaped; lone surrogates and integers of any size pass through.

    Raises:
        SessionError: it is nested too deeply, or holds itself.
    """
    try:
        return orjson.dumps(value).decode()
    except TypeError:
        # Lone surrogates, integers over 64 bits, keys that are no strings, objects that JSON does not know.
        return _dumped_slowly(value)


def string(value: Any) -> str:
    """`value` where it is a string, else ""."""
    return value if isinstance(value, str) else ""


def result_text(content: Any) -> str:
    """The text of a tool result: its text parts joined by one newline.

    Parts that are neither text nor an image at hand (a document, an image behind a URL) stand as compact JSON,
    so that nothing but image data is missing from the text. Nothing, `null` and an empty list give "".
    """
    if isinstance(content, str):
        return content
    if content is None:
        return ""
    texts = [_part_text(part) for part in parts(content)]
    return "\n".join(text for text in texts if text is not None)


def result_images(content: Any) -> list[tuple[str, str]]:
    """The images at hand in a tool result or message, in order, as (media type, base64 data)."""
    return [] if isinstance(content, str) else [image for part in parts(content) if (image := image_data(part))]


def image_count(content: Any) -> int:
    """How many images the content holds, those behind a URL included."""
    return 0 if isinstance(content, str) else sum(is_image(part) for part in parts(content))


def parts(content: Any) -> list[Any]:
    """The parts of a content: a list as it is, nothing for `null`, anything else as a single part."""
    if isinstance(content, list):
        return content
    return [] if content is None else [content]


def is_image(part: Any) -> bool:
    """Whether a content part is an image, at hand or behind a URL."""
    return _is_of(part, IMAGE_TYPES)


def is_text(part: Any) -> bool:
    """Whether a content part is an object that holds a text."""
    return _is_of(part, TEXT_TYPES) and isinstance(part.get("text"), str)


def image_data(part: Any) -> tuple[str, str] | None:
    """The (media type, base64 data) of an image part, or None where the part holds no image data."""
    if not is_image(part):
        return None
    source = part.get("source")
    if isinstance(source, dict):
        return _pair(source.get("media_type"), source.get("data")) or _data_url(source.get("url"))
    url = part.get("image_url")
    address = url.get("url") if isinstance(url, dict) else url
    return _pair(part.get("mimeType"), part.get("data")) or _data_url(address)


def _is_of(part: Any, types: frozenset[str]) -> bool:
    """Whether a part is an object of one of these types; what damage left for a type is none."""
    return isinstance(part, dict) and isinstance(kind := part.get("type"), str) and kind in types


def _part_text(part: Any) -> str | None:
    """One part's share of the text, or None for an image at hand, which has none."""
    if isinstance(part, str):
        return part
    if is_text(part):
        return str(part["text"])
    return None if image_data(part) else compact_json(part)


def _pair(media_type: Any, data: Any) -> tuple[str, str] | None:
    return (media_type, data) if isinstance(media_type, str) and isinstance(data, str) else None


def _data_url(url: Any) -> tuple[str, str] | None:
    """The parts of a `data:MEDIA;base64,DATA` address."""
    if not isinstance(url, str) or not url.startswith("data:"):
        return None
    head, comma, data = url[5:].partition(",")
    media_type, *flags = head.split(";")
    return (media_type, data) if comma and "base64" in flags else None


def _dumped_slowly(value: Any) -> str:
    try:
        return json.dumps(value, ensure_ascii=False, separators=(",", ":"), default=_type_name)
    except (RecursionError, ValueError) as wrong:
        raise SessionError("A value is nested too deeply to be read; leave it out of the messages.") from wrong


def _type_name(value: object) -> str:
    """What stands for a value that JSON does not know: its type's name, which is the same on every run."""
    return type(value).__name__
