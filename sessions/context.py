"""The messages in the model's context, each put together from the blocks of one entry or of several."""

from __future__ import annotations

from array import array
from struct import Struct
from typing import get_args

from prune_mcp.sessions.fragment import Fragment
from prune_mcp.sessions.fragments import Fragments
from prune_mcp.sessions.ids import NONE, Ids
from prune_mcp.sessions.model import Message, Place, Role
from prune_mcp.sessions.packed import Packed

# The entry whose fragment the message is. Of any other message: its first place and how many, the numbers of its
# id, stop reason and role, and whether it is a prompt or a summary.
_ROW = Struct("<iiiiiB??")
_ROLES: tuple[Role, ...] = get_args(Role)


class Context(Packed[Message]):
    """Messages by index; `fragments` are what the entries say, `ids` their ids."""

    def __init__(self, fragments: Fragments, ids: Ids) -> None:
        super().__init__()
        self._fragments = fragments
        self._ids = ids
        self._rows = bytearray()
        self._entries = array("i")
        self._positions = array("i")
        self._stops = Ids()

    def _pack(self, record: Message) -> None:
        self._rows += self._row(record)

    def _unpack(self, index: int) -> Message:
        row = _ROW.unpack_from(self._rows, index * _ROW.size)
        entry, first, count, id, stop, role, prompt, summary = row
        if entry != NONE:
            return self._fragments[int(entry)]
        places = map(Place, self._entries[first : first + count], self._positions[first : first + count])
        blocks = list(map(self._fragments.block, places))
        stopped = "" if stop == NONE else self._stops[stop]
        return Message(_ROLES[role], self._ids[id], blocks, prompt, summary, stopped)

    def _repack(self, index: int, record: Message) -> None:
        at = index * _ROW.size
        self._rows[at : at + _ROW.size] = self._row(record)

    def _row(self, message: Message) -> bytes:
        if isinstance(message, Fragment):
            return _ROW.pack(message.entry, 0, 0, NONE, NONE, 0, False, False)
        first = len(self._entries)
        for block in message.blocks:
            self._entries.append(block.place.entry)
            self._positions.append(block.place.at)
        stop = self._stops.add(message.stop) if message.stop else NONE
        numbers = len(message.blocks), self._ids.add(message.id), stop, _ROLES.index(message.role)
        return _ROW.pack(NONE, first, *numbers, message.prompt, message.summary)
