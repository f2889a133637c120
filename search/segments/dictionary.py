"""The dictionary of a segment: its terms in order, in leaves of `LEAF_TERMS`, with their postings.

A leaf's first block names its terms and says in how many documents each is; its second block holds the postings
of those in fewer than `LONG` documents, one after the other. Each longer list has blocks of its own, and a table.
"""

from __future__ import annotations

import struct
from array import array
from collections.abc import Callable, Mapping, Sequence

from prune_mcp.search.segments.postings import MANY, pack, split
from prune_mcp.search.segments.segment_file import seal

LEAF_TERMS = 128
LONG = 256
BLOCK_POSTINGS = 2048

# Terms and long lists in a leaf; then each term's documents (a byte, 0 for a long list); then each long list's
# documents, where its table begins (bytes from the first block), and the table's bytes.
LEAF = struct.Struct("=HH")
LONG_LIST = struct.Struct("=IQI")
# Of each block of a long list: its last document, the highest byte of how often, the block's bytes.
LIST_BLOCK = struct.Struct("=III")
# Of each leaf: where its first block begins, and the bytes of both. The leaves' first terms follow, a line each.
LEAF_PLACE = struct.Struct("=QII")
LEAF_COUNT = struct.Struct("=I")


class DictionaryWriter:
    """Takes terms in order with their postings, and appends their blocks."""

    def __init__(self, append: Callable[[bytes], int]) -> None:
        self._append = append
        self._places: list[bytes] = []
        self._firsts: list[str] = []
        self.terms = 0
        self.postings = 0

    def leaf(self, terms: Sequence[str], keys: Sequence[array[int]], exact: Mapping[str, Sequence[int]]) -> None:
        """Append a leaf of at most `LEAF_TERMS` terms that come after all earlier ones.

        `exact`: for each term with `MANY` among its keys, how often that really is, in the order of the documents.
        """
        sizes = [*map(len, keys)]
        longs = [n for n, size in enumerate(sizes) if size >= LONG]
        lists = [self._long_list(keys[n], exact.get(terms[n], ())) for n in longs]
        short = [each for each, size in zip(keys, sizes, strict=True) if size < LONG]
        often = (
            [each for n, term in enumerate(terms) if sizes[n] < LONG for each in exact.get(term, ())]
            if exact
            else ()
        )
        head = LEAF.pack(len(terms), len(longs)) + bytes(0 if size >= LONG else size for size in sizes)
        names = seal(b"".join((head, *lists, "\n".join(terms).encode())))
        postings = seal(pack(*split(b"".join(short)), often))
        self._places.append(LEAF_PLACE.pack(self._append(names + postings), len(names), len(postings)))
        self._firsts.append(terms[0])
        self.terms += len(terms)
        self.postings += sum(sizes)

    def finish(self) -> bytes:
        """The section that tells where the leaves are."""
        names = "\n".join(self._firsts).encode()
        return seal(b"".join((LEAF_COUNT.pack(len(self._places)), *self._places, names)))

    def _long_list(self, keys: array[int], exact: Sequence[int]) -> bytes:
        """Append a long list, its table first; returns its entry in the leaf."""
        blocks, table, rest = [], [], iter(exact)
        for start in range(0, len(keys), BLOCK_POSTINGS):
            docs, often = split(keys[start : start + BLOCK_POSTINGS].tobytes())
            blocks.append(seal(pack(docs, often, [next(rest) for _ in range(often.count(MANY))])))
            table.append(LIST_BLOCK.pack(docs[-1], max(often), len(blocks[-1])))
        listed = seal(b"".join(table))
        return LONG_LIST.pack(len(keys), self._append(b"".join((listed, *blocks))), len(listed))
