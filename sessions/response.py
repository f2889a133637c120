"""A response while it is told: hosts write it down several times as it grows, and each text counts once."""

from __future__ import annotations

from typing import NamedTuple

from prune_mcp.sessions.fragment import Fragment
from prune_mcp.sessions.passage import Passage

# A snapshot tells anew what came shortly before it; a response may have thousands of pieces.
NEAR = 16


class _Piece(NamedTuple):
    passage: Passage
    call: str
    entry: list[Passage]


class Response:
    """The response that further entries may still be part of; `group` is its id, "" for none.

    `snapshots`: whether the host writes it down several times as it grows.
    """

    def __init__(self, snapshots: bool) -> None:
        self.group = ""
        self._snapshots = snapshots
        self._pieces: list[_Piece] = []

    def end(self) -> None:
        """Nothing more belongs to it."""
        self.group = ""
        self._pieces.clear()

    def take(self, fragment: Fragment, passages: list[Passage]) -> None:
        """Take in an entry. What its passages tell anew is taken out of the entries before."""
        if fragment.role != "assistant":
            if fragment.prompt:
                self.end()
            return
        if not fragment.group or fragment.group != self.group:
            self.end()
            self.group = fragment.group
        if not self._snapshots:
            return
        calls = {block.place.at: block.call_id for block in fragment.blocks if block.kind == "call"}
        new = [_Piece(passage, calls.get(passage.at, ""), passages) for passage in passages]
        for piece in new:
            self._supersede(piece)
        self._pieces = (self._pieces + new)[-NEAR:]

    def _supersede(self, new: _Piece) -> None:
        for old in self._pieces:
            if _goes_on(old, new):
                self._pieces.remove(old)
                old.entry.remove(old.passage)
                return


def _goes_on(old: _Piece, new: _Piece) -> bool:
    """Whether a piece is a later snapshot of another: the same call, or text that begins with the other's."""
    if old.passage.role != new.passage.role:
        return False
    if old.passage.role == "call":
        return old.call == new.call
    return new.passage.text.startswith(old.passage.text)
