"""What stands in a text in one piece: the words of a phrase, of a path, of a dotted name."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

from prune_mcp.search.find.places import Text, adjacent
from prune_mcp.search.find.query import Clause
from prune_mcp.search.find.sought import Sought, Terms
from prune_mcp.search.words import stand_for
from prune_mcp.storage.codec import decode

_ASCII = bytes(range(128))
_COLOUR = re.compile(rb"\x1b\[[0-9;:?]*[A-Za-z]")
# Where a character begins that folds to ASCII, as accented letters do, or to nothing. (One that makes an emoji of
# what is before it stands in no word.)
_FOLDS = re.compile(
    rb"[\xc3-\xc8\xca-\xcd\xd6\xd7\xd9]|\xc2[\xaa\xad\xb2\xb3\xb5\xb9\xba\xbc-\xbe]|\xe1[\xb4-\xbb]"
    rb"|\xe2(?:\x80[\x8b-\x8f]|[\x81\x82\x84\x85\x91-\x93\xb1]|\x86\x89)|\xe3[\x89-\x8f]|\xea\x9f"
    rb"|\xef(?:[\xac\xb3\xb9\xbb-\xbd]|\xb8(?!\x8f))|\xf0(?:\x90\x9e|\x9d|\x9f(?:[\x84-\x86]|\xaf))"
)
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

    def may_stand_in(self, texts: bytes) -> bool:
        """Whether any of several texts, one behind the other in UTF-8, can hold it: to find out is quick."""
        lower = texts.lower()
        if any(near.stands_in(lower) for near in self._written):
            return True
        if b"\x1b" in texts:
            lower = _COLOUR.sub(b"", lower).replace(b"\x1b", b" ")
            if any(near.stands_in(lower) for near in self._written):
                return True
        if self._ascii and is_plain(lower):
            return False
        folded = Text(decode(texts)).folded
        return any(adjacent(words).search(folded) for words in self.ways)

    @cached_property
    def _ascii(self) -> bool:
        return all(word.isascii() for words in self.ways for word in words)

    @cached_property
    def _written(self) -> Sequence[_Near]:
        return [_Near(words) for words in self.ways if all(map(str.isascii, words))]


def is_plain(lower: bytes) -> bool:
    """Whether nothing in lower-cased UTF-8 stands for other ASCII characters than it is, nor for none."""
    return b"\x1b" not in lower and (lower.isascii() or not _FOLDS.search(lower.translate(None, _ASCII)))


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
