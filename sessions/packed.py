"""A growing sequence of records whose older part is packed: objects take ten times what they tell."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Sequence
from typing import TypeVar, overload

from prune_mcp.sessions.recent import Recent

T = TypeVar("T")
# At least so many of the newest records stay objects, at most twice as many: a session of some megabytes is never
# packed, and what is still being put together is at hand.
KEPT = 2048
# Whoever asks for an old record soon asks for it again, and for its neighbours.
AT_HAND = 64


class Packed(Sequence[T], ABC):
    """Records by index. An old record is made anew when it is asked for, equal to the one added; what is changed
    in it counts once it is set again."""

    def __init__(self) -> None:
        self._new: list[T] = []
        self._old = 0
        self._at_hand = Recent(AT_HAND)

    def __len__(self) -> int:
        """How many records there are."""
        return self._old + len(self._new)

    @overload
    def __getitem__(self, index: int) -> T: ...

    @overload
    def __getitem__(self, index: slice) -> list[T]: ...

    def __getitem__(self, index: int | slice) -> T | list[T]:
        """One record, or a list of several."""
        if isinstance(index, slice):
            return [self[at] for at in range(*index.indices(len(self)))]
        if index < 0:
            index += len(self)
        if index >= self._old:
            return self._new[index - self._old]
        if index < 0:
            raise IndexError(f"there are only {len(self)} records")
        record: T | None = self._at_hand.get(index)
        if record is None:
            record = self._unpack(index)
            self._at_hand.put(index, record, 1)
        return record

    def __iter__(self) -> Iterator[T]:
        """The records in order."""
        yield from map(self._unpack, range(self._old))
        yield from self._new

    def __setitem__(self, index: int, record: T) -> None:
        """Put another record in the place of one."""
        if index >= self._old:
            self._new[index - self._old] = record
        else:
            self._repack(index, record)
            self._at_hand.put(index, record, 1)

    def append(self, record: T) -> None:
        """Add a record."""
        self._new.append(record)
        if len(self._new) >= 2 * KEPT:
            for old in self._new[:KEPT]:
                self._pack(old)
            del self._new[:KEPT]
            self._old += KEPT

    @abstractmethod
    def _pack(self, record: T) -> None:
        """Pack the next record."""

    @abstractmethod
    def _unpack(self, index: int) -> T:
        """The packed record at this index."""

    @abstractmethod
    def _repack(self, index: int, record: T) -> None:
        """Pack a record in the place of the one at this index."""
