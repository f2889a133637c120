"""What stands in a text in one piece: the words of a phrase, of a path, of a dotted name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from prune_mcp.search.find.frame_texts import FrameTexts
from prune_mcp.search.find.places import Text, adjacent
from prune_mcp.search.find.query import Clause
from prune_mcp.search.find.sought import Sought, Terms
from prune_mcp.search.words import stand_for

# A word that comes more often is looked for together with what is to come behind it.
_OFTEN = 30


@dataclass(frozen=True, eq=False)
class Whole:
    """One thing that is to stand in a text in one piece.

    `ways`: the words, folded, that stand next to each other, for each way to write it. `sought`: what finds the
    passages that may hold it.
    """

    ways: tuple[Terms, ...]
    sought: Sought

    def stands_in(self, text: Text) -> bool:
        """Whether a text holds it."""
        return any(text.together(words) for words in self.ways)

    def may_stand_in(self, texts: FrameTexts) -> bool:
        """Whether any of several texts can hold it: to find out is quick."""
        if any(near.stands_in(texts.lower) for near in self._written):
            return True
        if texts.uncoloured and any(near.stands_in(texts.uncoloured) for near in self._written):
            return True
        if self._ascii and texts.plain:
            return False
        return any(adjacent(words).search(texts.folded) for words in self.ways)

    @cached_property
    def _ascii(self) -> bool:
        return all(word.isascii() for words in self.ways for word in words)

    @cached_property
    def _written(self) -> Sequence[_Near]:
        return [_Near(words) for words in self.ways if all(map(str.isascii, words))]


class _Near:
    """Finds ASCII words that stand together in lower-cased UTF-8, where other letters may be between them."""

    def __init__(self, words: Terms) -> None:
        self._pattern = _compiled(words)
        # A rare word, and what is to come behind it. (A star is for any number of letters.)
        plain = [n for n, word in enumerate(words[:-1]) if "*" not in word]
        first = max(plain, key=lambda n: len(words[n]), default=-1)
        self._anchor = words[first].encode() if plain else b""
        self._rest = _compiled(words[first:]) if plain else self._pattern

    def stands_in(self, lower: bytes) -> bool:
        """Whether a text holds them."""
        at = lower.find(self._anchor) if self._anchor else 0
        for _ in range(_OFTEN if self._anchor else 0):
            if at < 0:
                return False
            if self._rest.match(lower, at):
                break
            at = lower.find(self._anchor, at + 1)
        return at >= 0 and bool(self._rest.search(lower, at)) and bool(self._pattern.search(lower))


def _compiled(words: Terms) -> re.Pattern[bytes]:
    return re.compile(adjacent(words).pattern.encode())


def phrase(sought: Sought) -> Whole:
    """A phrase that is sought."""
    return Whole((sought.words,), sought)


def name(clause: Clause, number: int, pieces: Terms) -> Whole:
    """A path or another name, clause `number` of its query; `pieces`: as it stands however it is written."""
    ways = tuple(dict.fromkeys(words for words in (clause.words, pieces) if words))
    alternatives = [terms for words in (clause.written, pieces) if (terms := _terms(words))]
    return Whole(ways, Sought(number, (), list(dict.fromkeys(alternatives)), clause=number))


def _terms(words: Sequence[str]) -> Terms:
    """The terms of the words without a star."""
    return tuple(dict.fromkeys(term for word in words if "*" not in word for term in stand_for(word)))
