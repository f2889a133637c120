"""A conversation kept from an export, or a trajectory: one JSON object in a file of its own."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Iterator
from datetime import UTC, datetime
from typing import Any, NamedTuple

from prune_mcp.sessions.document import Document, Record, Share
from prune_mcp.sessions.exports.kinds import seconds_of
from prune_mcp.sessions.exports.parts import Part, blocks_of
from prune_mcp.sessions.exports.speech import ExportSpeech
from prune_mcp.sessions.fragment import Fragment
from prune_mcp.sessions.identity import Numbering
from prune_mcp.sessions.jsontext import loads_exactly
from prune_mcp.sessions.model import Block, BlockKind, Role, SessionError
from prune_mcp.sessions.partial import partial
from prune_mcp.sessions.speech import Speech
from prune_mcp.sessions.titles import shortened


class About(NamedTuple):
    """What a conversation says of itself: its title, what it was summarized to, and when it began."""

    title: Any
    summary: Any = None
    begun: Any = None


class ExportDocument(Document):
    """One JSON object that holds a whole conversation; of a damaged one what stands before the damage is read."""

    def _forget(self) -> None:
        super()._forget()
        self._ids = Numbering()

    def speech(self) -> Speech:
        """See `Reader.speech`."""
        return ExportSpeech(self._text, self._arguments)

    def _records(self) -> Iterator[Record]:
        value = self._value()
        about = self._introduce(value)
        self._named = shortened(about.title)
        self._aside(0, about._asdict())
        yield from self._listed(value)

    def _glimpsed(self, lines: list[bytes]) -> Iterator[Record]:
        return self._until_named(self._records())

    def _value(self) -> dict[str, Any]:
        data = self._data().removeprefix(b"\xef\xbb\xbf")
        try:
            value = loads_exactly(data)
        except ValueError:
            value = partial(data.decode("utf-8", "surrogateescape"))
            self.skipped["torn"] += 1
        if not isinstance(value, dict):
            raise SessionError(f"{self.path} holds no conversation; name another session file or id.")
        return value

    def _share(self, id: str, role: Role, parts: list[Part], time: Any = None, prompt: bool = False) -> Share:
        """The share of a record with this id, numbered where it was given out before."""
        pieces = [part.value for part in parts]
        blocks = blocks_of(parts, self._said)
        asks = prompt and any(block.size or block.images for block in blocks)
        if asks and not self._asked:
            self._asked = shortened(" ".join(self._said(part.kind, part.value) for part in parts[:1]))
        return Share(Fragment(role, self._ids.unique(id), blocks, asks), pieces, iso(time))

    def _fetch(self, index: int) -> Any:
        share = index - self._first_of[self._record_of[index]]
        return [part.value for part in self._groups(self.raw(index))[share]]

    def _piece_text(self, block: Block, piece: Any) -> str:
        return self._said(block.kind, piece)

    @abstractmethod
    def _introduce(self, value: dict[str, Any]) -> About:
        """Set `session` and `cwd`, and tell what the conversation says of itself."""

    @abstractmethod
    def _listed(self, value: dict[str, Any]) -> Iterator[Record]:
        """The records of its messages."""

    @abstractmethod
    def _groups(self, raw: dict[str, Any]) -> list[list[Part]]:
        """The parts of a record by share."""

    @abstractmethod
    def _said(self, kind: BlockKind, value: Any) -> str:
        """The text of a part."""


def iso(time: Any) -> str | None:
    """A time as ISO 8601 in UTC, None where it tells none."""
    seconds = seconds_of(time)
    return datetime.fromtimestamp(seconds, UTC).isoformat() if seconds else None
