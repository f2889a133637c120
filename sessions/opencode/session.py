"""opencode's sessions, wherever they stand: messages with their parts, as `opencode export` writes them."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

from prune_mcp.sessions.content import string
from prune_mcp.sessions.damage import KINDS
from prune_mcp.sessions.document import Document, Record, Share
from prune_mcp.sessions.footing import mark_of
from prune_mcp.sessions.jsontext import loads_exactly
from prune_mcp.sessions.model import Block
from prune_mcp.sessions.opencode import parts as opencode_parts
from prune_mcp.sessions.opencode.content import error_name, shares_of
from prune_mcp.sessions.opencode.parts import Piece, is_own
from prune_mcp.sessions.opencode.rows import normal
from prune_mcp.sessions.opencode.titles import given
from prune_mcp.sessions.persisted import read_from
from prune_mcp.sessions.titles import shortened

if TYPE_CHECKING:
    from prune_mcp.sessions.opencode.edits import OpencodeEdits
    from prune_mcp.sessions.opencode.speech import OpencodeSpeech


class Standing(NamedTuple):
    """A message that stands: its id, the id of the message it answers, and what it has to do with compactions."""

    id: str
    parent: str
    compaction: dict[str, Any] | None
    summary: bool


class Opencode(Document):
    """An opencode session; subclasses say where it is read from."""

    format = "opencode"
    host = "opencode"
    live = True

    def _forget(self) -> None:
        super()._forget()
        self._order: list[Standing] = []
        self._cut = ""

    def _introduce(self, info: dict[str, Any]) -> None:
        """Learn what the session is: `info` as the host exports it."""
        self.session = string(info.get("id"))
        self.cwd = string(info.get("directory"))
        self.parent = string(info.get("parentID"))
        title = given(string(info.get("title")))
        self._named = shortened(title)
        if title:
            self._aside(mark_of(title), {"title": title})

    def _recorded(self, info: dict[str, Any], messages: Iterable[dict[str, Any]]) -> Iterator[Record]:
        """The records of messages in order; from where a revert points to, they are left behind."""
        self._introduce(info)
        revert = info.get("revert")
        revert = revert if isinstance(revert, dict) else {}
        target, part = string(revert.get("messageID")), string(revert.get("partID"))
        left = False
        for raw in messages:
            message = normal(raw)
            here = bool(target) and message["info"]["id"] == target
            if here and part:
                self._cut = part
            left = left or (here and not part)
            if not left:
                self._note(message)
            yield Record(raw, left)
            left = left or here

    def _value(self, data: bytes) -> dict[str, Any] | None:
        """The object in a JSON text; anything else is counted."""
        try:
            value = loads_exactly(data)
        except ValueError:
            self.skipped["torn"] += 1
            return None
        if isinstance(value, dict):
            return value
        self.skipped[KINDS[type(value)]] += 1
        return None

    def _note(self, message: dict[str, Any]) -> None:
        """Keep what the title and the context follow from."""
        info, parts = message["info"], [part for part in message["parts"] if isinstance(part, dict)]
        if info.get("role") == "user" and not self._asked:
            own = (string(part.get("text")) for part in parts if is_own(part))
            self._asked = shortened(" ".join(filter(None, own)))
        compaction = next((part for part in parts if part.get("type") == "compaction"), None)
        done = info.get("summary") is True and bool(info.get("finish")) and not error_name(info)
        answers = string(info.get("parentID"))
        if info.get("summary") is True and info.get("role") == "user" and any(parts):
            # In version 2 a compaction is its own summary.
            compaction, done, answers = {}, True, info["id"]
        self._order.append(Standing(info["id"], answers, compaction, done))

    def _sent(self) -> Iterable[str] | None:
        """From the latest compaction that was done on: itself, its summary, what it kept, and what came after."""
        done = {message.parent for message in self._order if message.summary}
        ids = [message.id for message in self._order]
        for at in range(len(ids) - 1, -1, -1):
            compaction = self._order[at].compaction
            if compaction is not None and ids[at] in done:
                return self._compacted(ids, at, string(compaction.get("tail_start_id")))
        return None

    def _compacted(self, ids: list[str], at: int, kept: str) -> list[str] | None:
        """What is sent since the compaction at a position, which kept the messages from `kept` on."""
        if kept and kept not in ids[: at + 1]:
            # The host looks for the tail, and goes on looking to the start.
            return None
        own = (n for n in range(at + 1, len(ids)) if self._order[n].summary and self._order[n].parent == ids[at])
        after = next(own, at) + 1
        tail = ids[ids.index(kept) : at] if kept else []
        return ids[at:after] + tail + ids[after:]

    def _shares(self, raw: dict[str, Any]) -> list[Share]:
        return shares_of(normal(raw), self._cut)

    def _piece_text(self, block: Block, piece: Any) -> str:
        return opencode_parts.piece_text(piece)

    def _piece_arguments(self, piece: Any) -> Any:
        return opencode_parts.piece_arguments(piece)

    def _piece_images(self, block: Block, piece: Any) -> list[tuple[str, str]]:
        return opencode_parts.piece_images(piece)

    def persisted(self, block: Block) -> str | None:
        """The whole output where the host sends it no longer, or moved it to a file; else None."""
        if block.kind != "result":
            return None
        piece: Piece = self._content(block.place.entry)[block.place.at]
        metadata = opencode_parts.state_of(piece.part).get("metadata")
        moved = string(metadata.get("outputPath")) if isinstance(metadata, dict) else ""
        if moved and (whole := read_from([self._folder().resolve() / "tool-output"], moved)) is not None:
            return whole
        return opencode_parts.output_text(piece.part) if opencode_parts.is_cleared(piece.part) else None

    def speech(self) -> OpencodeSpeech:
        """See `Reader.speech`."""
        from prune_mcp.sessions.opencode.speech import OpencodeSpeech

        return OpencodeSpeech(self._text, self._arguments)

    def _edits(self) -> OpencodeEdits:
        from prune_mcp.sessions.opencode.edits import OpencodeEdits

        return OpencodeEdits(self._cut)

    @abstractmethod
    def _folder(self) -> Path:
        """The host's data folder."""


def is_message(message: Any) -> bool:
    """Whether a value is a message with its parts."""
    if not isinstance(message, dict) or not isinstance(info := message.get("info"), dict):
        return False
    return isinstance(info.get("id"), str) and isinstance(message.get("parts"), list)
