"""Words with slips of the pen: a letter more, less or another, or two neighbours swapped; never the first."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

from prune_mcp.search.segments.segment import Segment


def with_slips(word: str, segments: Iterable[Segment], most: int) -> Counter[str]:
    """The terms that are a word with at most so many slips, and in how many documents each stands.

    Of most other terms with the same first letter only the length and some pieces are looked at.
    """
    found: Counter[str] = Counter()
    lengths = range(len(word) - most, len(word) + most + 1)
    begin, *middle, end = _pieces(word, most + 1)
    letters = set(word)
    for segment in segments:
        for names, docs in segment.beginning(word[:1]):
            for n, term in enumerate(names):
                if (
                    len(term) in lengths
                    and (term.startswith(begin) or term.endswith(end) or any(piece in term for piece in middle))
                    and len(letters.difference(term)) <= most
                    and slipped(word, term, most)
                ):
                    found[term] += docs[n]
    return found


def slipped(word: str, term: str, most: int) -> bool:
    """Whether a term is a word with at most so many slips, none of them in its first letter."""
    return word[:1] == term[:1] and _within(word[1:], term[1:], most)


def _within(one: str, other: str, most: int) -> bool:
    if abs(len(one) - len(other)) > most:
        return False
    same = next((n for n, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), None)
    if same is None:
        return True
    if not most:
        return False
    one, other = one[same:], other[same:]
    ways = [(one[1:], other[1:]), (one[1:], other), (one, other[1:])]
    if one[:2] == other[1::-1]:
        ways.append((one[2:], other[2:]))
    return any(_within(*way, most - 1) for way in ways)


def _pieces(word: str, count: int) -> Sequence[str]:
    """So many pieces with a letter between each two: fewer slips leave one of them whole, whatever they swap."""
    cuts = [round(n * (len(word) + 1) / count) for n in range(count + 1)]
    return [word[start : end - 1] for start, end in pairwise(cuts)]
