"""Sessions without a tree: entries in the order they were recorded, some of them left behind by a rewind."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable

from prune_mcp.sessions.branch import Branch
from prune_mcp.sessions.fragment import Fragment
from prune_mcp.sessions.model import Block


class LinearBranch(Branch):
    """Everything that was not left behind, unless the host says what it sends.

    `left`: the entries that a rewind left behind, to be named before they are added.
    """

    def __init__(self, text: Callable[[Block], str]) -> None:
        super().__init__(text)
        self.left: set[int] = set()
        self._sent: array[int] | None = None

    def send(self, entries: Iterable[int]) -> None:
        """Say which entries are in the context, and in which order: a compaction may have left only these."""
        self._sent = array("i", entries)
        self._stale = True

    def _before(self, fragment: Fragment) -> int:
        return self.tip

    def _grow(self, fragment: Fragment) -> None:
        if fragment.entry in self.left:
            return
        self.tip = fragment.entry
        if not self._stale:
            self.layout.add(fragment)

    def _lay_out(self) -> None:
        standing = range(len(self.fragments)) if self._sent is None else self._sent
        for entry in standing:
            if entry not in self.left:
                self.layout.add(self.fragments[entry])

    def abandoned(self) -> set[int]:
        """The entries that a rewind left behind; what was compacted away is none of them."""
        return set(self.left)
