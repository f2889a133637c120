"""Where a query's words stand in a text, whatever their case, accents, and the identifier they are part of."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import islice

from prune_mcp.search.words import fold, visible
from prune_mcp.storage.codec import decode, encode

Span = tuple[int, int]

_ASCII = bytes(range(128))
# What may stand between the words of a phrase: also line ends that were escaped once more than read.
_BETWEEN = r"(?:[\W_]|(?<=\\)[nrt])*?"
_ESCAPED = frozenset("abefnrtv0")
# From here on come scripts that put no spaces between words.
_UNSPACED = "\u0e00"
_BLANKS = " \n\t"
_REACH = 200
_WORD = re.compile(r"\w+")


class Text:
    """A passage's text, to be looked into. `text`: without a terminal's colours; all places are in it. `folded`:
    as terms are written.
    """

    def __init__(self, text: str) -> None:
        self.text = visible(text)
        self._breaks: list[int] = []
        self._shifts: list[int] = []
        self.folded = self.text.lower() if self.text.isascii() else self._fold()

    def word(self, word: str, most: int = 1000) -> list[Span]:
        """Where a word (as `fold` writes it) stands, whole or as a part of a name; at most `most` places.

        A `*` in the word is for any more letters.
        """
        if "*" in word:
            return self.together((word,), most)
        found: list[Span] = []
        at = self.folded.find(word)
        while at >= 0 and len(found) < most:
            start, end = self._origin(at), self._origin(at + len(word))
            if self._starts(start) and self._ends(end):
                found.append((start, end))
            at = self.folded.find(word, at + 1)
        return found

    def like(self, fits: Callable[[str], bool], most: int) -> list[Span]:
        """Where words stand that, folded, are as asked for."""
        words = (match.span() for match in _WORD.finditer(self.folded) if fits(match[0]))
        return [(self._origin(start), self._origin(end)) for start, end in islice(words, most)]

    def together(self, words: Sequence[str], most: int = 1) -> list[Span]:
        """Where these words stand next to each other, with nothing but punctuation and blanks between them."""
        found: list[Span] = []
        for match in adjacent(tuple(words)).finditer(self.folded):
            if len(found) == most:
                break
            if self._parted(match):
                found.append((self._origin(match.start()), self._origin(match.end())))
        return found

    def literally(self, text: str) -> list[Span]:
        """Where this text stands as it is, but for its case: the first place only."""
        folded = fold(text)
        at = self.folded.find(folded)
        return [(self._origin(at), self._origin(at + len(folded)))] if at >= 0 else []

    def within(self, term: str, most: int) -> list[Span]:
        """Where a term stands, also inside of words; at most `most` places."""
        found: list[Span] = []
        at = self.folded.find(term)
        while at >= 0 and len(found) < most:
            found.append((self._origin(at), self._origin(at + len(term))))
            at = self.folded.find(term, at + len(term))
        return found

    def token(self, place: Span) -> Span:
        """From where to where what stands around a place goes on without a blank, in reason."""
        start, end = place
        before = max((self.text.rfind(blank, max(0, start - _REACH), start) for blank in _BLANKS), default=-1)
        behind = [at for blank in _BLANKS if (at := self.text.find(blank, end, end + _REACH)) >= 0]
        return max(before + 1, start - _REACH), min([*behind, end + _REACH, len(self.text)])

    def _fold(self) -> str:
        """The text folded; where that makes it longer or shorter, the shift is kept."""
        data = encode(self.text)
        uneven = []
        for char in set(decode(data.translate(None, _ASCII))):
            folded = _folded(char)
            if len(folded) != 1:
                uneven.append(char)
            elif folded != char:
                data = data.replace(encode(char), encode(folded))
        # By now only ASCII has capitals, and bytes are lowered much sooner than characters.
        if uneven:
            data = encode(self._evened(decode(data), uneven))
        return decode(data.lower())

    def _evened(self, text: str, uneven: list[str]) -> str:
        parts: list[str] = []
        size = last = 0
        for match in re.finditer(f"[{re.escape(''.join(uneven))}]", text):
            folded = _folded(match[0])
            parts += text[last : match.start()], folded
            size += match.start() - last + len(folded)
            last = match.end()
            self._breaks.append(size)
            self._shifts.append(last - size)
        return "".join([*parts, text[last:]])

    def _origin(self, at: int) -> int:
        """The place in the text that a place in the folded text was made of."""
        found = bisect_right(self._breaks, at)
        return at + self._shifts[found - 1] if found else at

    def _parted(self, match: re.Match[str]) -> bool:
        """Whether each of the words that were found begins and ends there."""
        return all(
            self._starts(self._origin(match.start(n))) and self._ends(self._origin(match.end(n)))
            for n in range(1, match.re.groups + 1)
        )

    def _starts(self, at: int) -> bool:
        return (
            at == 0 or self._border(at) or (self.text[at - 1] in _ESCAPED and self.text[at - 2 : at - 1] == "\\")
        )

    def _ends(self, at: int) -> bool:
        return at == len(self.text) or self._border(at)

    def _border(self, at: int) -> bool:
        """Whether a word, or a part of a name, ends before this character and another begins."""
        before, after = self.text[at - 1], self.text[at]
        if not (before.isalnum() and after.isalnum()) or before >= _UNSPACED or after >= _UNSPACED:
            return True
        if not after.isupper():
            return before.isupper() and after.isdigit()
        return not before.isupper() or self.text[at + 1 : at + 2].islower()


@lru_cache(maxsize=4096)
def _folded(char: str) -> str:
    return fold(char)


@lru_cache(maxsize=64)
def adjacent(words: tuple[str, ...]) -> re.Pattern[str]:
    """What finds these words (folded) next to each other in a folded text, be it inside of longer words."""
    return re.compile(_BETWEEN.join("(" + r"\w*".join(map(re.escape, word.split("*"))) + ")" for word in words))


def merged(spans: Iterable[Span]) -> list[Span]:
    """Spans in order, those that touch or overlap made one."""
    whole: list[Span] = []
    for start, end in sorted(spans):
        if whole and start <= whole[-1][1]:
            whole[-1] = whole[-1][0], max(end, whole[-1][1])
        else:
            whole.append((start, end))
    return whole
