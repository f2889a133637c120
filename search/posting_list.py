"""The postings of one term in one segment, read block by block."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import accumulate

from prune_mcp.search.dictionary import BLOCK_POSTINGS, LIST_BLOCK
from prune_mcp.search.postings import Frequencies, Ids, unpack
from prune_mcp.search.segment_file import SegmentFile, damaged

Block = tuple[Ids, Frequencies]


@dataclass(frozen=True, slots=True)
class PostingList:
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
        ids: list[int] = []
        often: list[int] = []
        for n in range(len(self.lasts)):
            some, times = self.block(n)
            ids += some
            often += times
        return ids, often


NOWHERE = PostingList(0, (), (), lambda n: ((), b""))


def short_list(ids: Ids, often: Frequencies) -> PostingList:
    """A list that is already read."""
    return PostingList(len(ids), ids[-1:], (min(max(often), 255),), lambda n: (ids, often))


def long_list(file: SegmentFile, docs: int, start: int, size: int) -> PostingList:
    """A list in blocks of its own, after a table of `size` bytes at `start` of the segment's blocks.

    Raises:
        SegmentDamaged: the table is none.
    """
    table = file.block(start, size)
    if len(table) != LIST_BLOCK.size * -(-docs // BLOCK_POSTINGS):
        raise damaged(file.path, "a list of postings has no table")
    lasts, highest, sizes = zip(*LIST_BLOCK.iter_unpack(table), strict=True)
    starts = [*accumulate(sizes, initial=start + size)]

    def block(n: int) -> Block:
        count = min(BLOCK_POSTINGS, docs - n * BLOCK_POSTINGS)
        return read_list(file, file.block(starts[n], sizes[n]), count)

    return PostingList(docs, lasts, highest, block)


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
