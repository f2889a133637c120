"""What the entries of a session say, as passages: the part of history that each host has its own rules for."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from prune_mcp.sessions.footing import mark_of
from prune_mcp.sessions.fragment import Fragment
from prune_mcp.sessions.model import Block, Entry
from prune_mcp.sessions.passage import Passage, Speaker
from prune_mcp.sessions.readable import readable

_SPEAKERS: dict[str, Speaker] = {"user": "user", "assistant": "assistant", "system": "machine"}


class Speech:
    """How entries read as passages. Hosts override what they do in their own way: `speaker` (who speaks in a
    block), `passages` (what an entry says) and `aside` (text in lines that are no entries). Those three follow
    from what they are given alone, and may be asked twice. What depends on what was said before is for `admit`.

    `text` and `arguments`: what a block of a content says, and the arguments of a call in it. The passages made
    here tell neither their time nor whether they are abandoned or a side chain's; the history adds that, and to
    results the tool and whether they are an echo. `snapshots`: whether the host writes a response down several
    times as it grows.
    """

    snapshots = False

    def __init__(self, text: Callable[[Block, Any], str], arguments: Callable[[Block, Any], Any]) -> None:
        self.text = text
        self.arguments = arguments
        self._titled: set[int] = set()

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
            return readable(self.arguments(block, content)) or block.tool
        return self.text(block, content)

    def aside(self, offset: int, raw: dict[str, Any]) -> Iterator[Passage]:
        """What a line at this byte offset says that is no entry (`Reader._aside`); such passages have the entry id
        `@<offset>`, see `aside_id`."""
        return iter(())

    def opens(self, fragment: Fragment, raw: dict[str, Any]) -> bool:
        """Whether an entry that asks something, or a compaction, comes after everything before it is complete."""
        return True

    def admit(self, raw: dict[str, Any], passages: list[Passage]) -> list[Passage]:
        """Of the passages of an entry or an aside those to be told; called once for each, in order. Others were
        told before (hosts repeat a session's title), or wait until it is clear whether they stand elsewhere."""
        return [passage for passage in passages if passage.role != "title" or self._is_new(passage.text)]

    def settle(self) -> list[Passage]:
        """What has waited and is told now: an exchange, or a part of a long one, has ended."""
        return []

    def pending(self) -> list[Passage]:
        """What still waits where the source ends."""
        return []

    def state(self) -> Any:
        """What `admit` knows where an exchange begins, as JSON; `restore` takes it."""
        return sorted(self._titled)

    def restore(self, state: Any) -> None:
        """Begin with what another reading knew."""
        self._titled = set(state)

    def _is_new(self, title: str) -> bool:
        mark = mark_of(title)
        known = mark in self._titled
        self._titled.add(mark)
        return not known


def beside(at: int) -> int:
    """A place for a second passage of the block at `at`, where no block stands."""
    return -3 - at


def aside_id(offset: int) -> str:
    """The entry id of text that stands in a line without an id of its own."""
    return f"@{offset}"
