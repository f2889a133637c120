"""The raw entries of a transcript: where each stands in the file, its id, parent and time."""

from __future__ import annotations

from struct import Struct

from prune_mcp.sessions.ids import NONE, Ids
from prune_mcp.sessions.model import Entry
from prune_mcp.sessions.packed import Packed
from prune_mcp.sessions.strings import Strings

# Offset, length, the numbers of the id, the parent's id and the time.
_ROW = Struct("<qqiii")


class Entries(Packed[Entry]):
    """Entries by index. `ids` holds their ids, and those of their parents that are in the file as well."""

    def __init__(self, ids: Ids) -> None:
        super().__init__()
        self._ids = ids
        self._rows = bytearray()
        self._times = Strings()
        self._elsewhere: dict[int, str] = {}

    def _pack(self, record: Entry) -> None:
        self._rows += self._row(record)

    def _unpack(self, index: int) -> Entry:
        offset, length, id, parent, time = _ROW.unpack_from(self._rows, index * _ROW.size)
        above = self._elsewhere.get(index) if parent == NONE else self._ids[parent]
        return Entry(index, self._ids[id], offset, length, above, None if time == NONE else self._times[time])

    def _repack(self, index: int, record: Entry) -> None:
        at = index * _ROW.size
        self._rows[at : at + _ROW.size] = self._row(record)

    def _row(self, entry: Entry) -> bytes:
        parent = NONE if entry.parent is None else self._ids.find(entry.parent)
        if parent == NONE and entry.parent is not None:
            self._elsewhere[entry.index] = entry.parent
        time = NONE if entry.time is None else self._times.add(entry.time)
        return _ROW.pack(entry.offset, entry.length, self._ids.add(entry.id), parent, time)
