"""What a session's entries say while it is read, in order: what is settled, and what may still change."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from prune_mcp.sessions.model import Entry
from prune_mcp.sessions.passage import Passage

# Whether a passage was left behind is known at the end, so that all wait for it; but of the texts only so many
# characters. The others are read again: few sessions are that long.
HELD = 8 << 20
# What was said lately may still be replaced by a later snapshot of it, for which its text is needed.
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
        self._said: deque[_Said] = deque()
        self._late: deque[_Said] = deque()
        self._settled = 0
        self._held = 0

    @property
    def open(self) -> bool:
        """Whether something was said since the last stretch ended."""
        return len(self._said) > self._settled

    def add(self, entry: Entry | None, passages: list[Passage]) -> None:
        """Add what an entry says, or with None what stands in none."""
        if not passages:
            return
        said = _Said(entry, passages)
        self._said.append(said)
        self._held += _size(said)
        self._late.append(said)
        while len(self._late) > LATELY or (self._held > 2 * HELD and self._late):
            self._let_go(self._late.popleft())

    def settle(self) -> None:
        """What was said so far will not change any more."""
        self._settled = len(self._said)

    def settled(self) -> Iterator[tuple[Entry | None, Passage]]:
        """What is settled, each passage once and then forgotten."""
        self._late.clear()
        while self._settled:
            self._settled -= 1
            yield from self._told(self._said.popleft())

    def unsettled(self) -> Iterator[tuple[Entry | None, Passage]]:
        """What was said since."""
        for at in range(self._settled, len(self._said)):
            yield from self._told(self._said[at])

    def _let_go(self, said: _Said) -> None:
        if self._held <= HELD or said.entry is None:
            return
        self._held -= _size(said)
        said.again = True
        for passage in said.passages:
            passage.text = ""

    def _told(self, said: _Said) -> Iterator[tuple[Entry | None, Passage]]:
        texts = self._again(said.entry) if said.again and said.entry else {}
        for passage in said.passages:
            passage.text = passage.text or texts.get(passage.at, "")
            yield said.entry, passage


def _size(said: _Said) -> int:
    return sum(len(passage.text) for passage in said.passages)
