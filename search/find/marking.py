"""What a query looks for, shown in texts: the snippet that holds the most of it, with its places marked."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from prune_mcp.search.find.places import Span, Text
from prune_mcp.search.find.query import Query
from prune_mcp.search.find.score import Scorer
from prune_mcp.search.find.snippet import Snippet, snippet
from prune_mcp.search.find.spelling import pieces

# A snippet is chosen by the places of so many of the most telling words, and of so many of each name's.
TELLING, NAMES = 4, 20


class Marking:
    """Shows what a query looks for in texts."""

    def __init__(self, query: Query, scorer: Scorer) -> None:
        self._literals = query.literals
        self._names = [pieces(clause) for clause in query.clauses if len(pieces(clause)) > 1]
        self._scorer = scorer

    def snippet(self, text: Text) -> Snippet:
        """The piece of a text that shows the most of what is looked for."""
        if self._literals:
            places = {n: text.literally(literal) for n, literal in enumerate(self._literals)}
            return snippet(text, places, dict.fromkeys(places, 1.0), self._places)
        telling: dict[int, Sequence[Span]] = {}
        weights: dict[int, float] = {}
        for sought in self._scorer.telling:
            if len(telling) < TELLING and sought.number not in telling and (found := sought.places(text)):
                telling[sought.number], weights[sought.number] = found, self._scorer.weight(sought)
        for number, name in enumerate(self._names):
            if found := text.together(name, NAMES):
                telling[-1 - number], weights[-1 - number] = found, sum(weights.values())
        return snippet(text, telling, weights, self._places)

    def _places(self, text: Text) -> Iterator[Span]:
        for literal in self._literals:
            yield from text.literally(literal)
        for sought in self._scorer.telling:
            yield from sought.places(text)
        for name in self._names:
            yield from text.together(name, NAMES)
