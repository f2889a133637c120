"""The blocks of a transcript's older entries, packed."""

from __future__ import annotations

from collections.abc import Iterable
from struct import Struct
from typing import get_args

from prune_mcp.sessions.ids import NONE, Ids
from prune_mcp.sessions.model import Block, BlockKind, Place

# Entry, position in it, size, characters, images, the numbers of call id, tool and kind, error, signed.
_ROW = Struct("<iiqqIiiB??")
_KINDS: tuple[BlockKind, ...] = get_args(BlockKind)


class Blocks:
    """Blocks by number, in the order they were added."""

    def __init__(self) -> None:
        self._rows = bytearray()
        self._calls = Ids()
        self._tools = Ids()

    def __len__(self) -> int:
        """How many blocks there are."""
        return len(self._rows) // _ROW.size

    def __getitem__(self, number: int) -> Block:
        """The block with this number: a new object each time."""
        row = _ROW.unpack_from(self._rows, number * _ROW.size)
        entry, at, size, chars, images, call, tool, kind, error, signed = row
        call_id = "" if call == NONE else self._calls[call]
        named = "" if tool == NONE else self._tools[tool]
        return Block(_KINDS[kind], Place(entry, at), size, chars, images, call_id, named, error, signed)

    def extend(self, blocks: Iterable[Block]) -> None:
        """Add blocks."""
        for block in blocks:
            self._rows += self._row(block)

    def replace(self, number: int, block: Block) -> None:
        """Put another block in the place of the one with this number."""
        at = number * _ROW.size
        self._rows[at : at + _ROW.size] = self._row(block)

    def _row(self, block: Block) -> bytes:
        call = self._calls.add(block.call_id) if block.call_id else NONE
        tool = self._tools.add(block.tool) if block.tool else NONE
        sizes = block.size, block.chars, block.images
        return _ROW.pack(*block.place, *sizes, call, tool, _KINDS.index(block.kind), block.error, block.signed)
