"""The columns of a segment: one number of each kind for each document, as narrow as the numbers allow."""

from __future__ import annotations

from array import array
from collections.abc import Iterable, Mapping, Sequence
from itertools import compress
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from prune_mcp.search.segments.lengths import length_code
from prune_mcp.search.segments.segment_file import COLUMNS, damaged

if TYPE_CHECKING:
    from prune_mcp.search.rows import Row

_CODES: dict[int, Literal["B", "H", "I", "Q"]] = {1: "B", 2: "H", 4: "I", 8: "Q"}


def pack_column(numbers: Iterable[int]) -> bytes:
    """A column's numbers, none negative, in bytes."""
    wide = array("Q", numbers)
    width = (max(wide, default=0).bit_length() + 7) // 8
    code = next(code for size, code in _CODES.items() if size >= width)
    return wide.tobytes() if code == "Q" else array(code, wide).tobytes()


def column_view(data: memoryview, docs: int, where: Path) -> memoryview[int]:
    """A column's numbers, none of them copied.

    Raises:
        SegmentDamaged: the bytes are no column of so many documents.
    """
    width = len(data) // docs if docs else 1
    if width not in _CODES or len(data) != width * docs:
        raise damaged(where, f"{len(data)} bytes are no column of {docs} documents")
    return data.cast(_CODES[width])


class ColumnsWriter:
    """Collects the rows of a segment."""

    def __init__(self) -> None:
        self._columns = {name: array("Q") for name in COLUMNS}

    def __len__(self) -> int:
        return len(self._columns["sources"])

    def add(self, row: Row, size: int) -> None:
        """Take the next document's row; `size` is its length in terms."""
        for column, number in zip(self._columns.values(), (*row, size, length_code(size)), strict=True):
            column.append(number)

    def extend(self, columns: Mapping[str, Iterable[int]], kept: Sequence[bool]) -> None:
        """Take the rows of another segment's columns that `kept` says yes to."""
        for name, column in self._columns.items():
            column.extend(compress(columns[name], kept))

    @property
    def length(self) -> int:
        """The sum of the documents' lengths."""
        return sum(self._columns["sizes"])

    def sections(self) -> dict[str, bytes]:
        """Each column in bytes."""
        return {name: pack_column(column) for name, column in self._columns.items()}
