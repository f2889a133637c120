"""What a query looks for, one thing at a time: the terms it goes by in an index, and its places in a text."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from weakref import WeakKeyDictionary

from prune_mcp.search.find.places import Span, Text
from prune_mcp.search.segments.posting_list import Block, PostingList
from prune_mcp.search.segments.segment import Segment

Terms = tuple[str, ...]

# Where a list holds this many times as many documents as are looked up, only some of its blocks are read.
_FEW = 20


@dataclass(eq=False, slots=True)
class Sought:
    """One word, prefix or phrase. A passage holds it where it holds all terms of one of the `alternatives`.

    `number`: which of the query's words it is; several ways to write a word have one number. `words`: as they
    stand in a text next to each other; more than one only in a phrase. `like`: which terms it stands for, where
    those cannot be listed. `needs`: for each alternative, what any text with it holds. `weight`: what it counts
    for, beside its rarity. `docs`: how many passages hold it. `clause`: which of the query's clauses it is of.
    """

    number: int
    words: Terms
    alternatives: Sequence[Terms]
    like: Callable[[str], bool] | None = None
    needs: Sequence[Terms] = ()
    weight: float = 1.0
    docs: int = 0
    clause: int = 0
    _lists: WeakKeyDictionary[Segment, Block] = field(default_factory=WeakKeyDictionary)

    @property
    def phrase(self) -> bool:
        """Whether a passage with all terms holds it only where they stand together."""
        return len(self.words) > 1

    @property
    def term(self) -> str:
        """The only term it goes by, "" where there are several."""
        return self.alternatives[0][0] if len(self.alternatives) == 1 == len(self.alternatives[0]) else ""

    def count(self, segments: Iterable[Segment]) -> None:
        """Find out how many passages of these segments hold it."""
        if term := self.term:
            self.docs = sum(segment.frequency(term) for segment in segments)
        else:
            self.docs = sum(len(self.postings(segment)[0]) for segment in segments)

    def postings(self, segment: Segment) -> Block:
        """The documents of a segment that hold it, ascending, and how often each does."""
        found = self._lists.get(segment)
        if found is None:
            lists = [_with_all(segment, terms) for terms in self.alternatives]
            found = self._lists[segment] = lists[0] if len(lists) == 1 else _with_any(lists)
        return found

    def postings_of(self, segment: Segment, docs: Collection[int]) -> Block:
        """As `postings`, but only those of these documents have to be there."""
        if segment in self._lists or not self.term:
            return self.postings(segment)
        held = segment.posting_list(self.term)
        if len(docs) * _FEW > held.docs:
            return self.postings(segment)
        return _blocks(held, sorted({bisect_left(held.lasts, doc) for doc in docs}))

    def often(self, counts: Mapping[str, int]) -> int:
        """How often a text with these counts of terms holds it."""
        if like := self.like:
            return sum(times for term, times in counts.items() if like(term))
        return sum(min(counts.get(term, 0) for term in terms) for terms in self.alternatives)

    def places(self, text: Text, most: int = 200) -> list[Span]:
        """Where it stands in a text."""
        if self.like and not self.words:
            return text.like(self.like, most)
        if self.words:
            return text.together(self.words, most) if self.phrase else text.word(self.words[0], most)
        names = dict.fromkeys(term for terms in self.alternatives for term in terms)
        return [place for name in names for place in text.word(name, most)]


def _with_all(segment: Segment, terms: Terms) -> Block:
    """The documents that hold all of these terms, and how often the rarest of them stands there."""
    if len(terms) == 1:
        return segment.postings(terms[0])
    lists = sorted((segment.posting_list(term) for term in terms), key=lambda each: each.docs)
    if not lists[0].docs:
        return (), b""
    ids, often = lists[0].all()
    held = set(ids)
    for other in lists[1:]:
        held.intersection_update(other.all()[0])
    pairs = [(doc, times) for doc, times in zip(ids, often, strict=True) if doc in held]
    return [doc for doc, _ in pairs], [times for _, times in pairs]


def _with_any(lists: Sequence[Block]) -> Block:
    """The documents of any of these lists, and how often all of them together stand there."""
    found: Counter[int] = Counter()
    for ids, often in lists:
        found.update(dict(zip(ids, often, strict=True)))
    docs = sorted(found)
    return docs, [found[doc] for doc in docs]


def _blocks(held: PostingList, numbers: Iterable[int]) -> Block:
    ids: list[int] = []
    often: list[int] = []
    for number in numbers:
        if number < len(held.lasts):
            some, times = held.block(number)
            ids += some
            often += times
    return ids, often
