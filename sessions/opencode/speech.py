"""What an opencode session says, as passages."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from prune_mcp.sessions.content import string
from prune_mcp.sessions.fragment import Fragment
from prune_mcp.sessions.model import Block, Entry
from prune_mcp.sessions.opencode.notes import notes_of
from prune_mcp.sessions.opencode.parts import Piece, is_own, output_text
from prune_mcp.sessions.opencode.rows import normal
from prune_mcp.sessions.passage import Passage
from prune_mcp.sessions.speech import Speech, aside_id


class OpencodeSpeech(Speech):
    """What the host put among the person's words is the machine's; outputs are told that it sends no longer."""

    def passages(self, entry: Entry, fragment: Fragment, raw: dict[str, Any], content: Any) -> Iterator[Passage]:
        """See `Speech.passages`; what the host shows and does not send comes behind the blocks."""
        pieces: list[Piece] = content
        raw = normal(raw)
        for passage in super().passages(entry, fragment, raw, content):
            if passage.role == "user" and not is_own(pieces[passage.at].part):
                passage.role = "machine"
            yield passage
        if entry.id == raw["info"]["id"]:
            for at, role, text, error in notes_of(raw):
                yield Passage(entry.id, at, role, text, error=error)

    def words(self, block: Block, content: Any) -> str:
        """See `Speech.words`."""
        if block.kind == "result":
            return output_text(content[block.place.at].part)
        return super().words(block, content)

    def aside(self, offset: int, raw: dict[str, Any]) -> Iterator[Passage]:
        """What the session is called."""
        title = string(raw.get("title"))
        if title:
            yield Passage(aside_id(offset), 0, "title", title)
