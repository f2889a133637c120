"""What the entries of a transcript add to the conversation, entry by entry."""

from __future__ import annotations

from struct import Struct
from typing import get_args

from prune_mcp.sessions.blocks import Blocks
from prune_mcp.sessions.fragment import Fragment
from prune_mcp.sessions.ids import NONE, Ids
from prune_mcp.sessions.model import Block, Place, Role
from prune_mcp.sessions.packed import Packed

# The first block and how many; the numbers of id, stop reason, group and role; what holds or does not.
_ROW = Struct("<iiiiiB?????")
_ROLES: tuple[Role, ...] = get_args(Role)


class Fragments(Packed[Fragment]):
    """Fragments by the index of their entry. `ids` holds the ids of entries."""

    def __init__(self, ids: Ids) -> None:
        super().__init__()
        self._ids = ids
        self._rows = bytearray()
        self._blocks = Blocks()
        self._stops = Ids()
        self._groups = Ids()

    def block(self, place: Place) -> Block:
        """The block at a place; a block that is the whole content is its entry's only one."""
        at = max(place.at, 0)
        if place.entry >= self._old:
            return self[place.entry].blocks[at]
        first: int = _ROW.unpack_from(self._rows, place.entry * _ROW.size)[0]
        return self._blocks[first + at]

    def _pack(self, record: Fragment) -> None:
        first = len(self._blocks)
        self._blocks.extend(record.blocks)
        self._rows += self._row(record, first)

    def _unpack(self, index: int) -> Fragment:
        row = _ROW.unpack_from(self._rows, index * _ROW.size)
        first, count, id, stop, group, role, prompt, summary, side, hidden, barrier = row
        return Fragment(
            _ROLES[role],
            self._ids[id],
            [self._blocks[number] for number in range(first, first + count)],
            prompt,
            summary,
            "" if stop == NONE else self._stops[stop],
            index,
            "" if group == NONE else self._groups[group],
            side,
            hidden,
            barrier,
        )

    def _repack(self, index: int, record: Fragment) -> None:
        at = index * _ROW.size
        first, count = _ROW.unpack_from(self._rows, at)[:2]
        if len(record.blocks) != count:
            raise ValueError(f"entry {index} has {count} blocks, not {len(record.blocks)}")
        for number, block in enumerate(record.blocks, first):
            self._blocks.replace(number, block)
        self._rows[at : at + _ROW.size] = self._row(record, first)

    def _row(self, fragment: Fragment, first: int) -> bytes:
        stop = self._stops.add(fragment.stop) if fragment.stop else NONE
        group = self._groups.add(fragment.group) if fragment.group else NONE
        holds = fragment.prompt, fragment.summary, fragment.side, fragment.hidden, fragment.barrier
        numbers = len(fragment.blocks), self._ids.add(fragment.id), stop, group, _ROLES.index(fragment.role)
        return _ROW.pack(first, *numbers, *holds)
