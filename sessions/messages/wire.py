"""What every wire format of message arrays answers about its entries; the formats themselves stand beside it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, ClassVar, Literal, NamedTuple

from prune_mcp.sessions.content import (
    compact_json,
    image_count,
    image_data,
    is_image,
    is_text,
    result_images,
    result_text,
)
from prune_mcp.sessions.model import Block, BlockKind, Format, Place
from prune_mcp.sessions.pdf import visible_size
from prune_mcp.sessions.tokens import utf8_size

if TYPE_CHECKING:
    from prune_mcp.sessions.messages.assembly import Assembly
    from prune_mcp.sessions.view import View

Side = Literal["user", "assistant", "system", "result"]
RawEntry = Mapping[str, Any]

# What an assistant message says whose whole content was thinking: providers refuse empty messages.
EMPTIED = "[thinking]"


class Piece(NamedTuple):
    """One piece of an entry: its position (see `Place.at`), what it is, and the raw value that holds it."""

    at: int
    kind: BlockKind
    value: Any


class Wire(ABC):
    """One wire format. `key`: where a request body holds the entries.

    `grouped`: consecutive assistant entries are one message. `patient`: a call may be answered anywhere later,
    else only before the next assistant message.
    """

    format: ClassVar[Format]
    key: ClassVar[str] = "messages"
    grouped: ClassVar[bool] = False
    patient: ClassVar[bool] = False

    @abstractmethod
    def side(self, entry: RawEntry) -> Side | None:
        """Whose entry this is (`result`: it answers calls and holds nothing else), or None if it is no message."""

    @abstractmethod
    def pieces(self, entry: RawEntry) -> Iterator[Piece]:
        """The entry's pieces in order."""

    @abstractmethod
    def call(self, value: Any) -> tuple[str, str]:
        """The (call id, tool name) of a call or result piece; a result seldom knows the name."""

    @abstractmethod
    def recorded_arguments(self, value: Any) -> Any:
        """The arguments of a call piece as they stand there: a JSON value, or a string that holds one."""

    @abstractmethod
    def arguments(self, value: Any) -> Any:
        """The arguments of a call piece as a JSON value; a string where it is no JSON."""

    @abstractmethod
    def output(self, value: Any) -> Any:
        """The content of a result piece."""

    @abstractmethod
    def thinking(self, value: Any) -> str:
        """The text of a thinking piece."""

    @abstractmethod
    def failed(self, value: Any, text: str) -> bool:
        """Whether a result piece with this text reports an error."""

    def signed(self, value: Any) -> bool:
        """Whether a thinking piece is bound to its exact prefix."""
        return False

    @abstractmethod
    def render(self, assembly: Assembly, view: View) -> Iterator[Any]:
        """The entries with the view's edits; entries without any are the very same objects."""

    def piece(self, entry: RawEntry, at: int) -> Any:
        """The raw value of the piece at a position."""
        return next(piece.value for piece in self.pieces(entry) if piece.at == at)

    def text(self, kind: BlockKind, value: Any) -> str:
        """The visible text of a piece; arguments recorded as a string stand as recorded."""
        if kind == "result":
            return result_text(self.output(value))
        if kind == "text":
            return value if isinstance(value, str) else string(value.get("text"))
        if kind == "thinking":
            return self.thinking(value)
        if kind == "image":
            return "" if image_data(value) else compact_json(value)
        if kind == "call":
            value = self.recorded_arguments(value)
        return value if isinstance(value, str) else compact_json(value)

    def images(self, kind: BlockKind, value: Any) -> list[tuple[str, str]]:
        """The images at hand in a piece, as (media type, base64 data)."""
        return result_images(self.output(value) if kind == "result" else [value])

    def block(self, index: int, piece: Piece, text: str) -> Block:
        """The block of a piece whose text is at hand."""
        at, kind, value = piece
        size = visible_size(value, text) if kind in ("result", "other") else utf8_size(text)
        block = Block(kind, Place(index, at), size, len(text))
        if kind == "call":
            block.call_id, block.tool = self.call(value)
            block.size += utf8_size(block.tool)
            block.chars += len(block.tool)
        elif kind == "result":
            block.call_id, block.tool = self.call(value)
            block.images = image_count(self.output(value))
            block.error = self.failed(value, text)
        elif kind == "image":
            block.images = 1
        elif kind == "thinking":
            block.signed = self.signed(value)
        return block


def string(value: Any) -> str:
    """`value` where it is a string; nothing for `null`; anything else as compact JSON."""
    if isinstance(value, str):
        return value
    return "" if value is None else compact_json(value)


def part_kind(part: Any) -> BlockKind:
    """What a content part is that is neither call nor result nor thinking."""
    if isinstance(part, str) or is_text(part):
        return "text"
    return "image" if is_image(part) else "other"


def replaced(content: Any, text: str, item_type: str) -> Any:
    """A result's content with `text` in its place: a list stays a list, of one item; its cache mark stays."""
    if not isinstance(content, list):
        return text
    marks = [part["cache_control"] for part in content if isinstance(part, dict) and "cache_control" in part]
    item = {"type": item_type, "text": text}
    return [item | {"cache_control": marks[-1]}] if marks else [item]


def edited_entries(view: View) -> set[int]:
    """The indexes of the entries in which the view edits something."""
    places = (view.texts, view.arguments, view.notes, view.stripped)
    return {place.entry for group in places for place in group}
