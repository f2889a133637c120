"""What a session's entries say while it is read, in order: what is settled, and what may still change."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from prune_mcp.sessions.model import Entry
from prune_mcp.sessions.passage import Passage

# Whether a passage was left behind is known at the end, so that all wait for it; but of the texts only so many
# characters. The others are read again: few sessions are that long.
HELD = 8 << 20
# What the model said may still be replaced by a later snapshot of it within so many entries.
LATELY = 32


@dataclass(slots=True)
class _Said:
    entry: Entry | None
    passages: list[Passage]
    again: bool = False


class Stretches:
    """Passages by the entries they stand in. `again` reads an entry's texts once more, by their places in it."""

    def __init__(self, again: Callable[[Entry], dict[int, str]]) -> None:
        self._again = again
        self._said: list[_Said] = []
        self._settled = 0
        self._told = 0
        self._held = 0

    def add(self, entry: Entry | None, passages: list[Passage]) -> None:
        """Add what an entry says, or with None what stands in none."""
        if not passages:
            return
        said = _Said(entry, passages)
        self._said.append(said)
        for passage in passages:
            self._held += len(passage.text)
        if self._held > HELD:
            self._let_go(said, [passage for passage in passages if passage.role == "result"])
            if len(self._said) > LATELY:
                late = self._said[-1 - LATELY]
                self._let_go(late, late.passages)

    def settle(self) -> None:
        """What was said so far will not change any more."""
        self._settled = len(self._said)

    def settled(self) -> Iterator[tuple[Entry | None, Passage]]:
        """What is settled, each passage once and then forgotten."""
        for at in range(self._told, self._settled):
            said, self._said[at] = self._said[at], _NOTHING
            self._told = at + 1
            yield from self._whole(said)

    def unsettled(self) -> Iterator[tuple[Entry | None, Passage]]:
        """What was said since."""
        for said in self._said[self._settled :]:
            yield from self._whole(said)

    def _let_go(self, said: _Said, passages: Iterable[Passage]) -> None:
        if said.entry is None:
            return
        for passage in passages:
            self._held -= len(passage.text)
            passage.text = ""
            said.again = True

    def _whole(self, said: _Said) -> Iterator[tuple[Entry | None, Passage]]:
        texts = self._again(said.entry) if said.again and said.entry else {}
        for passage in said.passages:
            passage.text = passage.text or texts[passage.at]
            yield said.entry, passage


_NOTHING = _Said(None, [])
