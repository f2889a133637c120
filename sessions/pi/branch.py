"""Which entries of a pi session are in the model's context."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import NamedTuple

from prune_mcp.sessions.branch import SILENT, Branch
from prune_mcp.sessions.fragment import Fragment
from prune_mcp.sessions.model import Block, Message


class Edit(NamedTuple):
    """A `context_edit`: what its target says from then on (None: nothing, the target is left out)."""

    target: str
    blocks: list[Block] | None


class PiBranch(Branch):
    """The leaf is the last entry of any type; the branch is its parents up to the root.

    The context is the latest compaction on the branch, the entries it kept, and everything after it.
    """

    def __init__(self, text: Callable[[Block], str]) -> None:
        super().__init__(text)
        self.kept_from: dict[int, str] = {}
        self.edits: dict[int, Edit] = {}

    def _before(self, fragment: Fragment) -> int:
        # pi ends the walk at a missing parent; here a damaged line costs only itself.
        return self.tip

    def silent(self, id: str, parent: str | None) -> None:
        """An entry that says nothing becomes the leaf all the same."""
        leaf = self._above(parent) if parent is None or self.knows(parent) else self.tip
        self._stand(id, SILENT - leaf)
        self._stale |= leaf != self.tip
        self.tip = leaf

    def _grow(self, fragment: Fragment) -> None:
        follows = self.up[fragment.entry] == self.tip
        self.tip = fragment.entry
        if not follows or fragment.entry in self.kept_from or fragment.entry in self.edits:
            self._stale = True
        elif not self._stale:
            self.layout.add(fragment)

    def _lay_out(self) -> None:
        path = list(self._upward(self.tip))[::-1]
        edits = {self.edits[entry].target: entry for entry in path if entry in self.edits}
        owners: dict[str, int] = {}
        for fragment in self._context(path):
            if fragment.entry in self.edits:
                target = self.edits[fragment.entry].target
                if edits[target] == fragment.entry and target in owners:
                    self.layout.join(fragment.entry, owners[target])
                continue
            edit = edits.get(fragment.id)
            self._show(fragment, None if edit is None else self.edits[edit])
            owners[fragment.id] = self.layout.owner[-1]

    def _show(self, fragment: Fragment, edit: Edit | None) -> None:
        if edit is None or fragment.hidden:
            self.layout.add(fragment)
        elif edit.blocks is None:
            self.layout.join(fragment.entry, -1)
        else:
            self.layout.messages.append(
                Message(fragment.role, fragment.id, edit.blocks, fragment.prompt, fragment.summary)
            )
            self.layout.join(fragment.entry, len(self.layout.messages) - 1)

    def _context(self, path: list[int]) -> Iterator[Fragment]:
        """The fragments of the branch that the host sends: older compactions contribute nothing."""
        compactions = [at for at, entry in enumerate(path) if entry in self.kept_from]
        if not compactions:
            yield from self._said(path)
            return
        latest = compactions[-1]
        yield from self._said(path[latest : latest + 1])
        for fragment in self._said(self._kept(path[: latest + 1])):
            if fragment.entry not in self.kept_from and fragment.role != "system":
                yield fragment
        yield from self._said(path[latest + 1 :])

    def _kept(self, path: list[int]) -> list[int]:
        """The entries that the compaction at the end of the path kept; an unknown start keeps nothing."""
        first = self.kept_from[path[-1]]
        if (entry := self.find(first)) is not None:
            return path[path.index(entry) : -1] if entry in path else []
        above = self._above(first)
        if above == -1:
            return path[:-1] if self.knows(first) else []
        return path[path.index(above) + 1 : -1] if above in path else []

    def _said(self, entries: list[int]) -> Iterator[Fragment]:
        return (self.fragments[entry] for entry in entries)

    def abandoned(self) -> set[int]:
        """The entries that a rewind left behind; what was compacted away is none of them."""
        return {fragment.entry for fragment in self.fragments} - set(self._upward(self.tip))
