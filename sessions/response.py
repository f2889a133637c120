"""A response while it is told: hosts write it down several times as it grows, and each text counts once."""

from __future__ import annotations

from prune_mcp.sessions.fragment import Fragment
from prune_mcp.sessions.passage import Passage

# A snapshot tells anew what came shortly before it; a response may have thousands of entries.
NEAR = 16


class Response:
    """The response that further entries may still be part of; `group` is its id, "" for none.

    `snapshots`: whether the host writes it down several times as it grows.
    """

    def __init__(self, snapshots: bool) -> None:
        self.group = ""
        self._snapshots = snapshots
        self._told: list[tuple[Fragment, list[Passage]]] = []

    def end(self) -> None:
        """Nothing more belongs to it."""
        self.group = ""
        self._told.clear()

    def take(self, fragment: Fragment, passages: list[Passage]) -> None:
        """Take in an entry. What its passages tell anew is taken out of the entries before."""
        if fragment.role != "assistant":
            if fragment.prompt:
                self.end()
            return
        if not fragment.group or fragment.group != self.group:
            self.end()
            self.group = fragment.group
        elif self._snapshots:
            for passage in passages:
                self._supersede(fragment, passage)
        self._told.append((fragment, passages))
        if len(self._told) > NEAR:
            del self._told[0]

    def _supersede(self, fragment: Fragment, new: Passage) -> None:
        for before, passages in self._told:
            for old in passages:
                if old.role == new.role and _goes_on(before, old, fragment, new):
                    passages.remove(old)
                    return


def _goes_on(before: Fragment, old: Passage, after: Fragment, new: Passage) -> bool:
    """Whether a passage is a later snapshot of another: the same call, or text that begins with the other's."""
    if new.role == "call":
        return _call(before, old) == _call(after, new)
    return old.text != "" and new.text.startswith(old.text)


def _call(fragment: Fragment, passage: Passage) -> str:
    return next((block.call_id for block in fragment.blocks if block.place.at == passage.at), "")
