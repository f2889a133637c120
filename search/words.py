"""Words: the terms that a text is found by, and those that a word of a query asks for.

A word is what stands between punctuation, lower-cased, without accents, at most its first `LONGEST` characters.
Names in camelCase and snake_case are found whole and by their parts. Scripts without spaces between words are
found by each character and each two neighbours; emoji by themselves.
"""

from __future__ import annotations

import re
import unicodedata
from collections import Counter
from collections.abc import Iterator
from itertools import filterfalse

LONGEST = 64

# Every ASCII byte that no word holds becomes a space; bytes of other characters stay.
_SEPARATED = bytes(b if b > 127 or chr(b).isalnum() or b == ord("_") else ord(" ") for b in range(256))
_PART = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\WA-Z_]+")
_COLOUR = re.compile(r"\x1b\[[0-9;:?]*[A-Za-z]")
_ESCAPE = re.compile(
    r"(?<!\\)\\++(?:(?:u001[bB]|x1[bB]|033|e)\[[0-9;:?]*[A-Za-z]|u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|[abefnrtv0])"
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
_SYMBOL = "\u23e9-\u23fa\u2600-\u27bf\u2b00-\u2bff\U0001f000-\U0001faff"
_INDIC = "\u0900-\u0963\u0966-\u0dff"
_PIECE = re.compile(f"([{_UNSPACED}]+)|([{_SYMBOL}])|((?:[^\\W{_UNSPACED}]|[{_INDIC}])+)")

# No more characters of a text are taken apart at once.
_AT_ONCE = 1 << 20
_BETWEEN = re.compile(r"[\s,\"]")
# So many tokens of each kind are remembered: a history is full of tokens that come once.
_REMEMBERED = 50_000
# Stands among a text's terms for the fact that some are too long.
_LONG = ""


def counts(text: str) -> dict[str, int]:
    """How often each term stands in a text."""
    if len(text) <= _AT_ONCE:
        return _counts(text)
    found: Counter[str] = Counter()
    for part in _sections(text):
        found.update(_counts(part))
    return found


def _sections(text: str) -> Iterator[str]:
    """A long text cut between words, so that its tokens are not all held at once."""
    start = 0
    while start < len(text):
        cut = _BETWEEN.search(text, start + _AT_ONCE)
        end = cut.end() if cut else len(text)
        yield text[start:end]
        start = end


def _counts(text: str) -> Counter[str]:
    # Tools set line numbers off by an arrow: uncut, each number with each first word would be a token of its own.
    found = Counter(_tokens(visible(text).replace("→", " ")))
    if "\\" in text:
        found.update([*filterfalse(found.__contains__, _escaped(text))])
    others = {token: found.pop(token) for token in [*filterfalse(_TERMS.__contains__, found)]}
    for token, times in others.items():
        for term in _OTHERS[token]:
            found[term] = found.get(term, 0) + times
    return _shortened(found) if found.pop(_LONG, 0) else found


def stand_for(word: str) -> list[str]:
    """The terms that each text with this word holds, so that all must match; none for punctuation only."""
    asked: list[str] = []
    for run, symbol, name in _pieces(word):
        asked += _neighbours(run) or [run] if run else [symbol or _whole(name)]
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
    meant = _ESCAPE.sub(_meaning, chunks).encode("utf-16", "surrogatepass")
    return _tokens(meant.decode("utf-16", "replace"))


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
            yield _whole(name)
            yield from _parts(name)


class _Others(dict[str, tuple[str, ...]]):
    """The terms of tokens that are no term, or not only one, learned as they are asked for."""

    def __missing__(self, token: str) -> tuple[str, ...]:
        terms = (token.lower(), *_parts(token)) if token.isascii() else tuple(_terms_of(token))
        if len(token) > LONGEST:
            return (_LONG, *terms)
        if terms == (token,):
            _TERMS.add(token)
            _bound(_TERMS)
        else:
            self[token] = terms
            _bound(self)
        return terms


# Tokens that are a term and nothing else, and the terms of all others: looking them up is most of what counting
# costs.
_TERMS: set[str] = set()
_OTHERS = _Others()


def _bound(remembered: set[str] | _Others) -> None:
    if len(remembered) > _REMEMBERED:
        remembered.clear()


def _shortened(found: Counter[str]) -> Counter[str]:
    """The counts with long terms cut."""
    shorter: Counter[str] = Counter()
    for term, times in found.items():
        shorter[term[:LONGEST]] += times
    return shorter


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


def _whole(name: str) -> str:
    return name.casefold()[:LONGEST]


def _parts(name: str) -> list[str]:
    """The parts of a camelCase or snake_case name, each once, those of one letter left out."""
    if len(name) > 2 * LONGEST:
        return []
    if name.islower() or name.isupper() or name[1:].islower() or name.isdigit():
        if "_" not in name:
            return []
        pieces = name.split("_")
    else:
        pieces = _PART.findall(name)
        if len(pieces) > 3 * (1 + name.count("_")) and len(name) < 3 * len(pieces):
            return []  # encoded bytes, not a name
    found = dict.fromkeys(piece.casefold()[:LONGEST] for piece in pieces if len(piece) > 1)
    found.pop(_whole(name), None)
    return list(found)
