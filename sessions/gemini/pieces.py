"""The pieces of a message of a Gemini CLI session: texts, calls, results and images, and what they say."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, NamedTuple

from prune_mcp.sessions.content import compact_json, string
from prune_mcp.sessions.gemini.prompts import part_text, parts_of
from prune_mcp.sessions.model import Block, BlockKind, Place
from prune_mcp.sessions.pdf import visible_size
from prune_mcp.sessions.tokens import utf8_size

FAILED = frozenset({"error", "cancelled"})
# What the host leaves of an output that it moved to a file.
_MOVED = re.compile(r"(?:Full \w+ saved to|For full output see): *([^\n\]]+)")
_NOTICE = 1024


class Piece(NamedTuple):
    """One piece of a message: what it is, the field it stands in, its position there, and its value.

    The field is `content` (position -1: it is no list) or `toolCalls`, where call and result are one value.
    """

    kind: BlockKind
    field: str
    at: int
    value: Any


def content_pieces(content: Any) -> Iterator[Piece]:
    """The pieces of a message's content."""
    for at, part in enumerate(parts_of(content)):
        yield Piece(_kind(part), "content", at if isinstance(content, list) else -1, part)


def block_of(at: int, piece: Piece) -> Block:
    """The block of a share's n-th piece."""
    text = piece_text(piece)
    size = visible_size(piece.value, text) if piece.kind in ("result", "other") else utf8_size(text)
    block = Block(piece.kind, Place(-1, at), size, len(text))
    if piece.kind == "call":
        block.call_id, block.tool = call_id(piece), string(named(piece).get("name"))
        block.size += utf8_size(block.tool)
        block.chars += len(block.tool)
        return block
    block.images = len(piece_images(piece))
    if piece.kind == "result":
        block.call_id, block.tool = call_id(piece), string(named(piece).get("name"))
        block.error = _failed(piece)
    elif piece.kind == "thinking":
        block.signed = bool(piece.value.get("thoughtSignature"))
    return block


def piece_text(piece: Piece) -> str:
    """What a piece says; see `Conversation.text`."""
    if piece.kind == "call":
        return compact_json(piece_arguments(piece))
    if piece.kind == "result":
        texts = map(_response_text, result_parts(piece))
        return "\n".join(text for text in texts if text is not None)
    text = part_text(piece.value)
    if text is not None:
        return text
    return "" if _image(piece.value) else compact_json(piece.value)


def piece_arguments(piece: Piece) -> Any:
    """The arguments of a call."""
    return named(piece).get("args")


def piece_images(piece: Piece) -> list[tuple[str, str]]:
    """The images of a piece, as (media type, base64 data)."""
    parts = result_parts(piece) if piece.kind == "result" else [piece.value]
    return [image for part in parts for image in _images(part)]


def named(piece: Piece) -> dict[str, Any]:
    """What tells the name and the id of a call or a result."""
    value: dict[str, Any] = piece.value
    if piece.field == "content":
        value = value["functionCall" if piece.kind == "call" else "functionResponse"]
    return value


def call_id(piece: Piece) -> str:
    """The id of a call or a result, or what stands for one where it has none."""
    call = named(piece)
    name = string(call.get("name"))
    return string(call.get("id")) or (name if piece.field == "content" else f"{name}-{piece.at}")


def result_parts(piece: Piece) -> list[Any]:
    """The parts of a result; of a list that holds those of several calls, only this call's own."""
    if piece.field == "content":
        return [piece.value]
    parts, id = parts_of(piece.value.get("result")), call_id(piece)
    begins = [at for at, part in enumerate(parts) if (answer := response(part)) and answer.get("id") == id]
    if not begins:
        return parts
    others = (at for at in range(begins[0] + 1, len(parts)) if response(parts[at]) is not None)
    return parts[begins[0] : next(others, len(parts))]


def response(part: Any) -> dict[str, Any] | None:
    """The function response that a part is, None for any other part."""
    found = part.get("functionResponse") if isinstance(part, dict) else None
    return found if isinstance(found, dict) else None


def saved_path(text: str) -> str:
    """The path that a preview names, or "" for a text that is no preview."""
    if not text.startswith(("<tool_output_masked>", "Output too large.")):
        return ""
    found = _MOVED.search(text, 0, _NOTICE)
    return found[1].strip() if found else ""


def _kind(part: Any) -> BlockKind:
    if part_text(part) is not None:
        return "thinking" if isinstance(part, dict) and part.get("thought") is True else "text"
    if isinstance(part, dict) and isinstance(part.get("functionCall"), dict):
        return "call"
    if response(part) is not None:
        return "result"
    return "image" if _image(part) else "other"


def _failed(piece: Piece) -> bool:
    if piece.field == "toolCalls" and string(piece.value.get("status")) in FAILED:
        return True
    answers = [answer.get("response") for part in result_parts(piece) if (answer := response(part))]
    return bool(answers) and all(isinstance(answer, dict) and set(answer) == {"error"} for answer in answers)


def _response_text(part: Any) -> str | None:
    """The text of one part of a result, None for an image."""
    answer = response(part)
    if answer is None:
        text = part_text(part)
        return text if text is not None or _image(part) else compact_json(part)
    said = answer.get("response")
    if isinstance(said, dict) and len(said) == 1:
        key, value = next(iter(said.items()))
        if key in ("output", "error") and isinstance(value, str):
            return value
    return "" if said is None else compact_json(said)


def _images(part: Any) -> Iterator[tuple[str, str]]:
    answer = response(part)
    for found in [part, *(parts_of(answer.get("parts")) if answer else ())]:
        if image := _image(found):
            yield image


def _image(part: Any) -> tuple[str, str] | None:
    data = part.get("inlineData") if isinstance(part, dict) else None
    if not isinstance(data, dict):
        return None
    kind, value = string(data.get("mimeType")), data.get("data")
    return (kind, value) if kind.startswith("image/") and isinstance(value, str) else None
