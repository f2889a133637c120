"""A question's text taken apart: words, "phrases", prefix*, -without. All else in it is punctuation."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass, field, replace
from typing import Literal

from prune_mcp.search.find.question import QuestionWrong
from prune_mcp.search.words import fold, stand_for

Kind = Literal["word", "joined", "phrase", "fuzzy"]

_QUOTES = str.maketrans("\u201c\u201d\u201e\u00ab\u00bb", '"""""')
_PIECE = re.compile(r'(?P<minus>(?<!\S)-(?=["\w]))?(?:"(?P<phrase>[^"]*)"|(?P<chunk>[^\s"]+)|")')
# A star belongs to the word it stands in or behind; no other star does.
_STARS = re.compile(r"(?<=\w)\*+")
_LONE_STAR = re.compile(r"(?<!\w)\*+")
_FUZZY = re.compile(r"(\w{4,})~")
_WORDLY = frozenset({"Mn", "Mc", "Me", "Cf", "Sm", "Sc", "Sk", "So"})
# What a sentence puts around a word says nothing about the word.
_EDGES = ".,;:!?()[]{}<>'`\u2018\u2019\u2026*~"


@dataclass(frozen=True, slots=True)
class Clause:
    """One thing asked for.

    `words`, folded, stand next to each other in it (`joined`: in one piece, as in a path; `phrase`: as quoted); a
    `*` in one of them is for any more letters. `written`: each word as it was written. `literal`: the whole as it
    was written, "" where the words say all. `fuzzy`: a word or one like it.
    """

    kind: Kind
    words: tuple[str, ...]
    written: tuple[str, ...] = ()
    literal: str = ""


@dataclass(slots=True)
class Query:
    """What passages are to hold (any of `clauses`, the more the better) and not to hold (any of `without`).

    `literals`: any of these to look for as it stands, where there is no word at all. `notes`: how the question was
    understood, where that may surprise.
    """

    clauses: list[Clause] = field(default_factory=list)
    without: list[Clause] = field(default_factory=list)
    literals: tuple[str, ...] = ()
    notes: list[str] = field(default_factory=list)

    def loosened(self) -> Query | None:
        """The query with its phrases as words that may stand apart; None where it has no phrases."""
        if not any(clause.kind == "phrase" for clause in self.clauses):
            return None
        clauses = [replace(each, kind="joined") if each.kind == "phrase" else each for each in self.clauses]
        return Query(clauses, self.without, self.literals, self.notes)


def parse(text: str) -> Query:
    """The query that a question's text is; no text is malformed.

    Raises:
        QuestionWrong: the text is empty.
    """
    stripped = text.strip()
    if not stripped:
        raise QuestionWrong('The question is empty. Give words, a "phrase", or the beginning of a word with *.')
    query = Query()
    for piece in _PIECE.finditer(stripped.translate(_QUOTES)):
        clause = _phrase(piece["phrase"]) if piece["phrase"] is not None else _chunk(piece["chunk"] or "")
        into = query.without if piece["minus"] else query.clauses
        if clause and clause not in into:
            into.append(clause)
    _turn_round(query, stripped)
    return query


def _turn_round(query: Query, text: str) -> None:
    """Make something to look for of a text that only excludes, or has no word."""
    if query.clauses:
        if query.without:
            named = ", ".join(f'"{each.literal or " ".join(each.written)}"' for each in query.without)
            query.notes.append(f"Left out, for the minus before it: {named}. What stands in quotes is looked for.")
    elif query.without:
        query.clauses, query.without = query.without, []
        query.notes.append("Nothing but exclusions was asked for, so what they name was looked for.")
    else:
        query.literals = tuple(dict.fromkeys(piece.strip('"') or piece for piece in text.split()))


def _phrase(text: str) -> Clause | None:
    return _clause("phrase", text, text.strip())


def _chunk(chunk: str) -> Clause | None:
    if fuzzy := _FUZZY.fullmatch(chunk):
        return Clause("fuzzy", (fold(fuzzy[1]),), (fuzzy[1],))
    return _clause("joined", chunk, chunk.strip(_EDGES))


def _clause(kind: Kind, text: str, literal: str) -> Clause | None:
    words = [word for word in _words(text) if stand_for(word)]
    if not words:
        return None
    stars = any("*" in word for word in words)
    if len(words) == 1:
        kind = "word"
    return Clause(kind, tuple(map(fold, words)), tuple(words), "" if stars or literal in words else literal)


def _words(text: str) -> list[str]:
    """What stands between blanks and punctuation, with the stars in it or behind it."""
    starred = _LONE_STAR.sub(" ", _STARS.sub("*", text))
    return "".join([c if c == "*" or _wordly(c) else " " for c in starred]).split()


def _wordly(char: str) -> bool:
    # Marks and joiners are within words; arrows and emoji are words themselves.
    return char.isalnum() or char == "_" or (char > "\x7f" and unicodedata.category(char) in _WORDLY)
