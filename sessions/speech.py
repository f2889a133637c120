"""What the entries of a transcript say, as passages: the part of history that each host has its own rules for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from prune_mcp.sessions.fragment import Fragment
from prune_mcp.sessions.model import Block, Entry
from prune_mcp.sessions.passage import Passage, Speaker
from prune_mcp.sessions.readable import readable

_SPEAKERS: dict[str, Speaker] = {"user": "user", "assistant": "assistant", "system": "machine"}


class Speech:
    """How entries read as passages. Hosts override what they do in their own way: `speaker` (who speaks in a
    block), `passages` (what an entry says) and `aside` (text in lines that are no entries).

    `text` and `arguments`: what a block of a content says, and the arguments of a call in it. The passages made
    here tell neither their time nor whether they are abandoned, a side chain's or an echo: the history adds that.
    """

    def __init__(self, text: Callable[[Block, Any], str], arguments: Callable[[Block, Any], Any]) -> None:
        self.text = text
        self.arguments = arguments

    def speaker(self, fragment: Fragment, block: Block) -> Speaker | None:
        """Who speaks in a block; None for one without words."""
        if block.kind == "image":
            return None
        if block.kind == "call" or block.kind == "result" or block.kind == "thinking":
            return block.kind
        return "summary" if fragment.summary else _SPEAKERS[fragment.role]

    def passages(self, entry: Entry, fragment: Fragment, raw: dict[str, Any], content: Any) -> Iterator[Passage]:
        """What an entry says, one passage for each block with words; `raw` is the parsed entry, `content` the part
        of it that the blocks stand in."""
        for block in fragment.blocks:
            if (speaker := self.speaker(fragment, block)) and (text := self.words(block, content)):
                yield Passage(entry.id, block.place.at, speaker, text, block.tool, error=block.error)

    def words(self, block: Block, content: Any) -> str:
        """The text of a block as people search for it: a call's arguments readable, anything else as it is."""
        if block.kind == "call":
            return readable(self.arguments(block, content))
        return self.text(block, content)

    def aside(self, offset: int, raw: dict[str, Any]) -> Iterator[Passage]:
        """What a line at this byte offset says that is no entry (`Transcript._aside`); such passages have the
        entry id `@<offset>`, see `aside_id`."""
        return iter(())


def aside_id(offset: int) -> str:
    """The entry id of text that stands in a line without an id of its own."""
    return f"@{offset}"
