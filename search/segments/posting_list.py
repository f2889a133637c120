"""The postings of one term in one segment, read block by block."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from itertools import accumulate, chain
from typing import NamedTuple

from prune_mcp.search.segments.dictionary import BLOCK_POSTINGS, LIST_BLOCK
from prune_mcp.search.segments.postings import MANY, Frequencies, Ids, join, unpack
from prune_mcp.search.segments.segment_file import SegmentFile, damaged

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


class PackedList:
    """Postings of one or more terms as they are packed: `count` of them.

    Raises:
        SegmentDamaged: the bytes hold no such postings.
    """

    def __init__(self, file: SegmentFile, data: bytes, count: int) -> None:
        self._file = file
        try:
            self._steps, self._often, self._exact = unpack(data, count)
        except ValueError as error:
            raise damaged(file.path, str(error)) from error

    def read(self, start: int, end: int) -> Block:
        """The documents of the postings from `start` to `end`, and how often each holds the term.

        Raises:
            SegmentDamaged: they are no documents of this segment.
        """
        steps = self._steps[start:end]
        if start:
            steps[0] += sum(self._steps[:start])
        ids = [*accumulate(steps)]
        if ids[0] < 0 or ids[-1] >= self._file.totals.docs:
            raise damaged(self._file.path, "a posting is of no document")
        often = self._often[start:end]
        if not self._exact:
            return ids, often
        rest = iter(self._exact[self._often.count(MANY, 0, start) :])
        return ids, [next(rest) if byte == MANY else byte for byte in often]

    def keys(self, first: int) -> tuple[array[int], array[int]]:
        """The keys of all postings, document 0 numbered `first`, and the exact numbers of `MANY`.

        Raises:
            SegmentDamaged: they are no documents.
        """
        try:
            docs = array("I", accumulate(self._steps, initial=first))
        except OverflowError as error:
            raise damaged(self._file.path, "a posting is of no document") from error
        return join(docs[1:].tobytes(), self._often), self._exact


def short_list(ids: Ids, often: Frequencies) -> PostingList:
    """A list that is already read."""
    return PostingList(len(ids), ids[-1:], (min(max(often), MANY),), lambda n: (ids, often))


class LongList:
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
        self._lasts, self._highest, self._sizes = zip(*LIST_BLOCK.iter_unpack(table), strict=True)
        self._starts = [*accumulate(self._sizes, initial=start + size)]

    def postings(self) -> PostingList:
        """The list, whose blocks are read when they are asked for."""
        return PostingList(self._docs, self._lasts, self._highest, self._block)

    def keys(self, first: int) -> tuple[array[int], array[int]]:
        """As `PackedList.keys`, of all blocks."""
        keys, exact = array("I"), array("I")
        for n in range(len(self._sizes)):
            some, beside = self._packed(n).keys(first)
            keys += some
            exact += beside
        return keys, exact

    def _block(self, n: int) -> Block:
        return self._packed(n).read(0, self._count(n))

    def _packed(self, n: int) -> PackedList:
        return PackedList(self._file, self._file.block(self._starts[n], self._sizes[n]), self._count(n))

    def _count(self, n: int) -> int:
        return min(BLOCK_POSTINGS, self._docs - n * BLOCK_POSTINGS)
