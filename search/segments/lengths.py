"""How long a document is, in one byte: exact up to ten terms, then rounded up by at most 3 %, as Whoosh does."""

from __future__ import annotations

from bisect import bisect_left

# The number of terms that each byte stands for.
LENGTHS: tuple[int, ...] = tuple(round(27 * (1.033**code - 1)) for code in range(256))


def length_code(terms: int) -> int:
    """The byte for a length in terms, rounded up; all longer than the longest are as long as that."""
    return min(bisect_left(LENGTHS, terms), 255)
