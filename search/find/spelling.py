"""How the words of a query may be written: the things to look for that each of its clauses stands for."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from heapq import nlargest

from prune_mcp.search.find.query import Clause, Query
from prune_mcp.search.find.slips import slipped, with_slips
from prune_mcp.search.find.sought import Sought, Terms
from prune_mcp.search.segments.segment import Segment
from prune_mcp.search.words import LONGEST, fold, parts, stand_for

# A prefix, a pattern or a word with slips stands for at most so many terms, the most frequent ones.
EXPANSIONS = 50
# A longer question is looked for by its rarest words.
MOST_SOUGHT = 64
# A name by its parts, wherever they stand, is less than the name itself; so is a word with slips.
APART = 0.6
# So many neighbours without a space between them are no word any more: any of them may match.
SENTENCE = 4
# So many words are named that are like one that nothing has, if that is so long; a longer one may have two slips.
NEAR, SURE, LONG = 3, 5, 8
# So many words of a question are compared with others.
MOST_NEAR = 3
_PIECE = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[^\W_A-Z]+")


def spelled(query: Query, segments: Sequence[Segment]) -> list[Sought]:
    """What a query looks for, each with its count over these segments, the rarest first."""
    found: dict[tuple[Terms, ...], Sought] = {}
    words = ((n, ways) for n, clause in enumerate(query.clauses) for ways in _words_of(clause, segments))
    for number, (clause, ways) in enumerate(words):
        for sought in ways:
            sought.number, sought.clause = number, clause
            found.setdefault(tuple(sought.alternatives), sought)
    for sought in found.values():
        sought.count(segments)
    known = sorted(found.values(), key=lambda each: (not each.docs, each.docs))
    return known[:MOST_SOUGHT]


def excluded(query: Query, segments: Sequence[Segment]) -> list[Sought]:
    """What a query does not want to see."""
    return [ways[0] for clause in query.without for ways in _without(clause, segments)]


def pieces(clause: Clause) -> Terms:
    """The pieces of a clause's words, which stand together in whatever way a name is written."""
    return tuple(piece for written in clause.written for piece in _pieces(written))


def _pieces(word: str) -> Sequence[str]:
    return [fold(piece) for piece in _PIECE.findall(word)] if "*" not in word else [fold(word)]


def _without(clause: Clause, segments: Sequence[Segment]) -> Iterator[Sequence[Sought]]:
    if clause.kind == "joined":
        yield [_phrase(clause, segments)]
    else:
        yield from _words_of(clause, segments)


def _words_of(clause: Clause, segments: Sequence[Segment]) -> Iterator[Sequence[Sought]]:
    """For each word of a clause, the ways it may be written."""
    if clause.kind == "phrase":
        yield [_phrase(clause, segments)]
    elif clause.kind == "fuzzy":
        yield [_fuzzy(clause.words[0], segments)]
    else:
        for word, written in zip(clause.words, clause.written, strict=True):
            if "*" in word:
                yield [_starred(word, segments)]
            elif len(neighbours := neighbours_in(written)) >= SENTENCE:
                yield from ([Sought(0, (), [(term,)], needs=[(term,)])] for term in neighbours)
            else:
                yield list(_spellings(written))


def neighbours_in(word: str) -> Sequence[str]:
    """The terms of a word of a script that puts no spaces between words; none for any other word."""
    terms = [] if word.isascii() else stand_for(word)
    return terms if len(terms) > 1 and all(len(term) == 2 for term in terms) else []


def _phrase(clause: Clause, segments: Sequence[Segment]) -> Sought:
    """A phrase goes by the terms of its words without a star, else by its first word; the rest its text tells."""
    whole = [word for word in clause.written if "*" not in word]
    if terms := tuple(dict.fromkeys(term for word in whole for term in stand_for(word))):
        return Sought(0, clause.words, [terms], needs=[terms])
    return replace(_starred(clause.words[0], segments), words=clause.words)


def _spellings(word: str) -> Iterator[Sought]:
    """A word by its own terms, and by those of its parts, by which it is found where it is written otherwise."""
    own, apart = tuple(stand_for(word)), tuple(parts(word))
    yield Sought(0, (fold(word),), [own], needs=[own])
    if len(apart) > 1:
        yield Sought(0, (), [apart], needs=[apart], weight=APART)


def _starred(word: str, segments: Sequence[Segment]) -> Sought:
    """A word that goes on behind its star: a prefix, or a pattern for Whoosh to find."""
    start, *rest = (piece[:LONGEST] for piece in word.split("*"))
    terms = _most_frequent(_with_pattern(word, segments), segments) if any(rest) else _beginning(start, segments)
    fits = re.compile(".*".join(map(re.escape, (start, *rest)))).fullmatch
    needs = tuple(piece for piece in (start, *rest) if piece)
    return Sought(0, (word,), terms or [(start,)], like=lambda term: bool(fits(term)), needs=[needs])


def _beginning(start: str, segments: Sequence[Segment]) -> Sequence[Terms]:
    found: Counter[str] = Counter()
    for segment in segments:
        found.update(segment.expand(start, EXPANSIONS))
    return [(term,) for term, _ in found.most_common(EXPANSIONS)]


def _with_pattern(pattern: str, segments: Sequence[Segment]) -> Sequence[str]:
    from whoosh.query import Wildcard

    from prune_mcp.search.segments.whoosh_terms import FIELD, expand

    return expand(segments, Wildcard(FIELD, pattern))


def _fuzzy(word: str, segments: Sequence[Segment]) -> Sought:
    known = (term for term, _ in with_slips(word, segments, 1).most_common(EXPANSIONS))
    terms = [(word,), *((term,) for term in known if term != word)]
    return Sought(0, (), terms, like=partial(slipped, word, most=1))


def near(query: Query, segments: Sequence[Segment]) -> list[str]:
    """The words, at most `NEAR` for each, that are almost as one of the query's which no passage has."""
    words = dict.fromkeys(word for clause in query.clauses for word in clause.words)
    unknown = [word for word in words if len(word) >= SURE and "*" not in word and not _stands(word, segments)]
    found: dict[str, None] = {}
    for word in unknown[:MOST_NEAR]:
        like = with_slips(word, segments, 1 if len(word) < LONG else 2)
        found.update(dict.fromkeys(term for term, _ in like.most_common(NEAR)))
    return list(found)


def _stands(word: str, segments: Sequence[Segment]) -> bool:
    return any(segment.frequency(word) for segment in segments)


def _most_frequent(terms: Iterable[str], segments: Sequence[Segment]) -> Sequence[Terms]:
    """The most frequent of these terms, at most `EXPANSIONS`."""
    found = {term: sum(segment.frequency(term) for segment in segments) for term in terms}
    return [(term,) for term in nlargest(EXPANSIONS, found, key=found.__getitem__)]
