"""Words: the terms that a text is found by, and those that a word of a query asks for.

A word is what stands between punctuation, lower-cased, without accents, at most its first `LONGEST` characters.
Names in camelCase and snake_case are found whole and by their parts. Scripts without spaces between words are
found by each character and each two neighbours; emoji and arrows by themselves.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from itertools import chain, filterfalse
from operator import mul

LONGEST = 64

# Every ASCII byte that no word holds becomes a space; bytes of other characters stay.
_SEPARATED = bytes(b if b > 127 or chr(b).isalnum() or b == ord("_") else ord(" ") for b in range(256))
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\WA-Z_]+")
_COLOUR = re.compile(r"\x1b\[[0-9;:?]*[A-Za-z]")
_ESCAPE = re.compile(
    r"\\+(?:(?:u001[bB]|x1[bB]|033|e)\[[0-9;:?]*[A-Za-z]|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|[abefnrtv0])"
)
# Accents, vowel points and characters without width: a word is the same with and without them.
_MARKS = re.compile(
    "[\u00ad\u0300-\u036f\u0591-\u05bd\u05bf\u05c1\u05c2\u05c4\u05c5\u05c7\u0640\u064b-\u065f\u0670"
    "\u200c-\u200f\u2060\ufe00-\ufe0f\ufeff]"
)
_NO_ACCENT = str.maketrans("ıłŁøØđĐ", "ilLoOdD")
_UNSPACED = (
    "\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3005-\u3007\u3040-\u30ff\u3100-\u312f\u31f0-\u31ff\u3400-\u4dbf"
    "\u4e00-\u9fff\uac00-\ud7af\uf900-\ufaff\U00020000-\U0003ffff"
)
_SYMBOL = "\u2190-\u23ff\u2600-\u27bf\u2900-\u2bff\U0001f000-\U0001faff"
_INDIC = "\u0900-\u0963\u0966-\u0dff"
_PIECE = re.compile(f"([{_UNSPACED}]+)|([{_SYMBOL}])|((?:[^\\W{_UNSPACED}]|[{_INDIC}])+)")

# How many tokens to remember the terms of. Bounded: a history is full of tokens that come once.
_REMEMBERED = 50_000


def counts(text: str) -> dict[str, int]:
    """How often each term stands in a text."""
    tokens = Counter(_tokens(visible(text)))
    if "\\" in text:
        tokens.update(token for token in _escaped(text) if token not in tokens)
    if others := [*filterfalse(_PLAIN.__contains__, tokens)]:
        times = [*map(tokens.pop, others)]
        tokens.update(chain.from_iterable(map(mul, map(_TERMS.__getitem__, others), times)))
    return tokens


def stand_for(word: str) -> list[str]:
    """The terms that each text with this word holds, so that all must match; none for punctuation only."""
    asked: list[str] = []
    for run, symbol, name in _pieces(word):
        asked += _neighbours(run) or [run] if run else [symbol or _cut(name)]
    return list(dict.fromkeys(asked))


def parts(word: str) -> list[str]:
    """The parts of a name, by which a text is found that writes the name otherwise; none for one part."""
    return [part for _, _, name in _pieces(word) for part in _parts(name)]


def fold(word: str) -> str:
    """A word or pattern as terms are written: lower-cased, without accents, its punctuation kept."""
    return word.lower() if word.isascii() else _unaccented(word).casefold()


def visible(text: str) -> str:
    """The text without a terminal's colours, which may stand inside words."""
    return _COLOUR.sub("", text) if "\x1b" in text else text


def _tokens(text: str) -> list[str]:
    """The text cut at ASCII punctuation and at white space, case kept."""
    data = text.encode("utf-8", "surrogatepass").translate(_SEPARATED)
    return data.decode("utf-8", "surrogatepass").split()


def _escaped(text: str) -> list[str]:
    """The tokens of what stands in JSON's escapes, read as they mean."""
    chunks = " ".join([chunk for chunk in text.split() if "\\" in chunk])
    return _tokens(_ESCAPE.sub(_meaning, chunks))


def _meaning(escape: re.Match[str]) -> str:
    code = escape[1] or escape[2]
    if code:
        return chr(int(code, 16))
    return "" if "[" in escape[0] else " "


def _terms_of(token: str) -> Iterator[str]:
    for run, symbol, name in _pieces(token):
        if run:
            yield from run
            yield from _neighbours(run)
        elif symbol:
            yield symbol
        else:
            yield _cut(name)
            yield from _parts(name)


class _Terms(dict[str, tuple[str, ...]]):
    """The terms of tokens that are not their own only term, learned as they are asked for."""

    def __missing__(self, token: str) -> tuple[str, ...]:
        terms = (_cut(token), *_parts(token)) if token.isascii() else tuple(_terms_of(token))
        if terms == (token,):
            _PLAIN.add(token)
            if len(_PLAIN) > _REMEMBERED:
                _PLAIN.clear()
        else:
            self[token] = terms
            if len(self) > _REMEMBERED:
                self.clear()
        return terms


# Tokens that are their own only term, and the terms of others: looking them up is most of what counting costs.
_PLAIN: set[str] = set()
_TERMS = _Terms()


def _pieces(word: str) -> Iterator[tuple[str, str, str]]:
    """A word's pieces, each a run of a script without spaces, a symbol or a name; the other two are empty."""
    for token in _tokens(visible(word)):
        if token.isascii():
            yield "", "", token
        else:
            yield from _PIECE.findall(_unaccented(token))


def _unaccented(text: str) -> str:
    bare = _MARKS.sub("", unicodedata.normalize("NFKD", text))
    return unicodedata.normalize("NFC", bare).translate(_NO_ACCENT)


def _neighbours(run: str) -> list[str]:
    return [run[at : at + 2] for at in range(len(run) - 1)]


def _cut(name: str) -> str:
    return name.casefold()[:LONGEST]


def _parts(name: str) -> list[str]:
    """The parts of a camelCase or snake_case name, each once, those of one letter left out."""
    if len(name) > 2 * LONGEST or ("_" not in name and name.islower()):
        return []
    pieces = _PART.findall(name)
    if len(pieces) > 3 * (1 + name.count("_")) and len(name) < 3 * len(pieces):
        return []  # encoded bytes, not a name
    found = dict.fromkeys(piece.casefold()[:LONGEST] for piece in pieces if len(piece) > 1)
    found.pop(_cut(name), None)
    return list(found)
