"""The ids of a transcript, numbered and found again in a fraction of what a dict of strings takes."""

from __future__ import annotations

from array import array

from prune_mcp.sessions.packed import KEPT
from prune_mcp.sessions.strings import Strings

NONE = -1


class Ids:
    """Distinct ids by number, in the order they were added.

    The newest ones stand in a dict, which is fast. Older ones stand as bytes, found by a table of their numbers
    that is at most half full: an id belongs in the slot that its hash says, or in the next free one behind it.
    """

    def __init__(self) -> None:
        self._new: dict[str, int] = {}
        self._names: list[str] = []
        self._count = 0
        self._old = Strings()
        self._table = array("i")

    def __getitem__(self, number: int) -> str:
        """The id with this number."""
        old = len(self._old)
        return self._old[number] if number < old else self._names[number - old]

    def find(self, id: str) -> int:
        """The number of an id, `NONE` for one that was not added."""
        number = self._new.get(id, NONE)
        if number == NONE and self._table:
            return self._table[self._slot(id)]
        return number

    def add(self, id: str) -> int:
        """The number of an id, which gets one if it has none yet."""
        number = self.find(id)
        if number == NONE:
            number, self._count = self._count, self._count + 1
            self._new[id] = number
            self._names.append(id)
            if len(self._names) >= 2 * KEPT:
                self._pack()
        return number

    def _slot(self, id: str) -> int:
        """Where in the table an id stands, or would stand."""
        table, old, wanted = self._table, self._old, id.encode("utf-8", "surrogatepass")
        mask = len(table) - 1
        slot = hash(id) & mask
        while table[slot] != NONE and old.encoded(table[slot]) != wanted:
            slot = slot + 1 & mask
        return slot

    def _pack(self) -> None:
        names, self._names, self._new = self._names, [], {}
        if 2 * self._count > len(self._table):
            self._grow()
        for id in names:
            self._table[self._slot(id)] = self._old.add(id)

    def _grow(self) -> None:
        # A power of two, so that the last bits of a hash are a slot.
        self._table = array("i", [NONE]) * (1 << (2 * self._count).bit_length())
        for number in range(len(self._old)):
            self._table[self._slot(self._old[number])] = number
