"""The parts of an opencode message that say something, and what they say."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, NamedTuple

from prune_mcp.sessions.content import compact_json, image_data, string
from prune_mcp.sessions.model import Block, BlockKind, Place
from prune_mcp.sessions.tokens import utf8_size

# What the host sends in place of an output that it pruned itself; the output stays where it is.
CLEARED = "[Old tool result content cleared]"
# The host sends what these say as texts of their own.
EXPANDED = frozenset({"text/plain", "application/x-directory"})
IDS = frozenset({"id", "sessionID", "messageID"})
SIGNATURES = frozenset({"signature", "redactedData", "reasoningEncryptedContent", "thoughtSignature"})


class Piece(NamedTuple):
    """One piece of a message: what it is, the position of its part, and the part. A tool's is call and result."""

    kind: BlockKind
    at: int
    part: dict[str, Any]


def pieces_of(at: int, part: Any) -> list[Piece]:
    """The pieces of a part: none, one, or a tool's call and its result."""
    if not isinstance(part, dict):
        return []
    kind = part.get("type")
    if kind == "tool":
        call = Piece("call", at, part)
        return (
            [call, call._replace(kind="result")]
            if state_of(part).get("status") in ("completed", "error")
            else [call]
        )
    if kind == "text" and part.get("ignored") is not True:
        return [Piece("text", at, part)]
    if kind == "reasoning":
        return [Piece("thinking", at, part)]
    if kind == "file" and string(part.get("mime")) not in EXPANDED:
        return [Piece("image" if _image(part) else "other", at, part)]
    return [Piece("other", at, part)] if kind in ("compaction", "subtask") else []


def block_of(number: int, piece: Piece) -> Block:
    """The block of a share's n-th piece."""
    text = piece_text(piece)
    block = Block(piece.kind, Place(-1, number), utf8_size(text), len(text))
    if piece.kind in ("call", "result"):
        block.call_id, block.tool = string(piece.part.get("callID")), string(piece.part.get("tool"))
    if piece.kind == "call":
        block.size += utf8_size(block.tool)
        block.chars += len(block.tool)
    elif piece.kind == "result":
        block.error = state_of(piece.part).get("status") == "error"
        block.images = len(piece_images(piece))
    elif piece.kind == "thinking":
        block.signed = _is_signed(piece.part)
    elif piece.kind == "image":
        block.images = 1
    return block


def piece_text(piece: Piece) -> str:
    """What a piece says; see `Conversation.text`."""
    part = piece.part
    if piece.kind == "call":
        return compact_json(piece_arguments(piece))
    if piece.kind == "result":
        return CLEARED if is_cleared(part) else output_text(part)
    if piece.kind in ("text", "thinking"):
        return string(part.get("text"))
    if piece.kind == "image" or part["type"] == "compaction":
        return ""
    return string(part.get("prompt")) if part["type"] == "subtask" else _named(part)


def piece_arguments(piece: Piece) -> Any:
    """The arguments of a call."""
    return state_of(piece.part).get("input")


def piece_images(piece: Piece) -> list[tuple[str, str]]:
    """The images of a piece, as (media type, base64 data)."""
    if piece.kind == "result":
        files = [] if is_cleared(piece.part) else _attachments(piece.part)
        return [image for file in files if (image := _image(file))]
    image = _image(piece.part) if piece.kind == "image" else None
    return [image] if image else []


def output_text(part: dict[str, Any]) -> str:
    """What a tool said, also where the host sends it no longer."""
    state = state_of(part)
    if state.get("status") == "error":
        return _said(interrupted(state) if interrupted(state) is not None else state.get("error"))
    texts = [_said(state.get("output")), *(_named(file) for file in _attachments(part) if not _image(file))]
    return "\n".join(texts)


def interrupted(state: dict[str, Any]) -> str | None:
    """What a tool had said when it was interrupted, None where the error tells all."""
    metadata = state.get("metadata")
    if not isinstance(metadata, dict) or metadata.get("interrupted") is not True:
        return None
    output = metadata.get("output")
    return output if isinstance(output, str) else None


def is_cleared(part: dict[str, Any]) -> bool:
    """Whether the host sends the output of this tool no longer."""
    state = state_of(part)
    time = state.get("time")
    return state.get("status") == "completed" and isinstance(time, dict) and bool(time.get("compacted"))


def is_own(part: dict[str, Any]) -> bool:
    """Whether the person wrote this part, or gave it."""
    return (
        part.get("type") in ("text", "file")
        and part.get("synthetic") is not True
        and part.get("ignored") is not True
    )


def state_of(part: dict[str, Any]) -> dict[str, Any]:
    """The state of a tool."""
    state = part.get("state")
    return state if isinstance(state, dict) else {}


def ended(part: dict[str, Any]) -> Any:
    """When a tool was done, in milliseconds since the epoch."""
    time = state_of(part).get("time")
    return time.get("end") if isinstance(time, dict) else None


def iso(milliseconds: Any) -> str | None:
    """A time in ISO 8601, None where it is none."""
    if not isinstance(milliseconds, int | float) or isinstance(milliseconds, bool):
        return None
    try:
        return datetime.fromtimestamp(milliseconds / 1000, UTC).isoformat(timespec="milliseconds")
    except (OverflowError, OSError, ValueError):
        return None


def _said(value: Any) -> str:
    if isinstance(value, str):
        return value
    return "" if value is None else compact_json(value)


def _attachments(part: dict[str, Any]) -> list[dict[str, Any]]:
    files = state_of(part).get("attachments")
    return [file for file in files if isinstance(file, dict)] if isinstance(files, list) else []


def _image(part: dict[str, Any]) -> tuple[str, str] | None:
    image = image_data({"type": "image_url", "image_url": part.get("url")})
    return image if image and image[0].startswith("image/") else None


def _named(file: dict[str, Any]) -> str:
    """A file that is no image, as JSON, but for its bytes and for where it stands."""
    inline = {"url"} if string(file.get("url")).startswith("data:") else set()
    return compact_json({key: value for key, value in file.items() if key not in IDS | inline})


def _is_signed(part: dict[str, Any]) -> bool:
    """Whether a provider bound the thinking to what came before it."""
    metadata = part.get("metadata")
    providers = metadata.values() if isinstance(metadata, dict) else ()
    return any(isinstance(told, dict) and not SIGNATURES.isdisjoint(told) for told in providers)
