"""Sessions without a tree: entries in the order they were recorded, some of them left behind by a rewind."""

from __future__ import annotations

from collections.abc import Callable

from prune_mcp.sessions.branch import Branch
from prune_mcp.sessions.fragment import Fragment
from prune_mcp.sessions.model import Block


class LinearBranch(Branch):
    """Everything that was not left behind, from the latest compaction on.

    `left`: the entries that a rewind left behind, named before they are added. `kept_from`: by the entry of a
    compaction the first entry it kept (itself for none); what it kept comes behind its summary.
    """

    def __init__(self, text: Callable[[Block], str]) -> None:
        super().__init__(text)
        self.left: set[int] = set()
        self.kept_from: dict[int, int] = {}

    def _before(self, fragment: Fragment) -> int:
        return self.tip

    def _grow(self, fragment: Fragment) -> None:
        if fragment.entry in self.left:
            return
        self.tip = fragment.entry
        if fragment.entry in self.kept_from:
            self._stale = True
        elif not self._stale:
            self.layout.add(fragment)

    def _lay_out(self) -> None:
        standing = [entry for entry in range(len(self.fragments)) if entry not in self.left]
        latest = max((entry for entry in standing if entry in self.kept_from), default=-1)
        first = self.kept_from.get(latest, latest)
        kept = [entry for entry in standing if first <= entry < latest and entry not in self.kept_from]
        after = [entry for entry in standing if entry >= latest]
        head = self._summarized(after) if kept else 0
        for entry in (*after[:head], *kept, *after[head:]):
            self.layout.add(self.fragments[entry])

    def _summarized(self, entries: list[int]) -> int:
        """How many of the entries are the compaction itself: the one that asked for it, and its summary."""
        head = 1
        while head < len(entries) and self.fragments[entries[head]].summary:
            head += 1
        return head

    def abandoned(self) -> set[int]:
        """The entries that a rewind left behind; what was compacted away is none of them."""
        return set(self.left)
