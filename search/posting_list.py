"""The postings of one term in one segment, read block by block."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from itertools import accumulate, chain
from typing import NamedTuple

from prune_mcp.search.dictionary import BLOCK_POSTINGS, LIST_BLOCK
from prune_mcp.search.postings import Frequencies, Ids, unpack, unpack_keys
from prune_mcp.search.segment_file import SegmentFile, damaged

Block = tuple[Ids, Frequencies]


class PostingList(NamedTuple):
    """Where a term stands: `docs` documents, in blocks that are read one by one.

    `lasts`: each block's last document. `highest`: the most often that a document of the block holds the term,
    where 255 says that often or more. `block(n)`: the block's documents, ascending, and how often each holds the
    term; it raises SegmentDamaged for a block that cannot be read.
    """

    docs: int
    lasts: Sequence[int]
    highest: Sequence[int]
    block: Callable[[int], Block]

    def all(self) -> Block:
        """All documents and how often each holds the term.

        Raises:
            SegmentDamaged: a block cannot be read.
        """
        if len(self.lasts) == 1:
            return self.block(0)
        blocks = [self.block(n) for n in range(len(self.lasts))]
        ids = [*chain.from_iterable(ids for ids, _ in blocks)]
        often = [often for _, often in blocks]
        packed = [each for each in often if isinstance(each, bytes)]
        return ids, b"".join(packed) if len(packed) == len(often) else [*chain.from_iterable(often)]


NOWHERE = PostingList(0, (), (), lambda n: ((), b""))


def short_list(ids: Ids, often: Frequencies) -> PostingList:
    """A list that is already read."""
    return PostingList(len(ids), ids[-1:], (min(max(often), 255),), lambda n: (ids, often))


class PackedList:
    """A list in blocks of its own, after a table of `size` bytes at `start` of the segment's blocks.

    Raises:
        SegmentDamaged: the table is none.
    """

    def __init__(self, file: SegmentFile, docs: int, start: int, size: int) -> None:
        self._file = file
        self._docs = docs
        table = file.block(start, size)
        if len(table) != LIST_BLOCK.size * -(-docs // BLOCK_POSTINGS):
            raise damaged(file.path, "a list of postings has no table")
        self.lasts, self.highest, self._sizes = zip(*LIST_BLOCK.iter_unpack(table), strict=True)
        self._starts = [*accumulate(self._sizes, initial=start + size)]

    def block(self, n: int) -> Block:
        """The postings of block `n`."""
        return read_list(self._file, *self._packed(n))

    def keys(self, first: int) -> tuple[array[int], array[int]]:
        """As `read_keys`, of all blocks."""
        keys, exact = array("I"), array("I")
        for n in range(len(self._sizes)):
            some, beside = read_keys(self._file, *self._packed(n), first)
            keys += some
            exact += beside
        return keys, exact

    def _packed(self, n: int) -> tuple[bytes, int]:
        count = min(BLOCK_POSTINGS, self._docs - n * BLOCK_POSTINGS)
        return self._file.block(self._starts[n], self._sizes[n]), count


def long_list(packed: PackedList, docs: int) -> PostingList:
    """A list whose blocks are read when they are asked for."""
    return PostingList(docs, packed.lasts, packed.highest, packed.block)


def read_list(file: SegmentFile, data: bytes, count: int) -> tuple[list[int], Frequencies]:
    """The documents and how often, of a packed list of `count` postings.

    Raises:
        SegmentDamaged: it is none of documents of this segment.
    """
    try:
        ids, often = unpack(data, count)
    except ValueError as error:
        raise damaged(file.path, str(error)) from error
    if ids and (ids[0] < 0 or ids[-1] >= file.totals.docs):
        raise damaged(file.path, "a posting is of no document")
    return ids, often


def read_keys(file: SegmentFile, data: bytes, count: int, first: int) -> tuple[array[int], array[int]]:
    """The keys of a packed list of `count` postings, document 0 numbered `first`, and the exact numbers of `MANY`.

    Raises:
        SegmentDamaged: it is none.
    """
    try:
        return unpack_keys(data, count, first)
    except ValueError as error:
        raise damaged(file.path, str(error)) from error
