"""BM25 and nothing else: what a ranking has to be better than."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

K1 = 1.2
B = 0.75


class Plain:
    """Texts ranked by BM25 over their words."""

    def __init__(self, texts: Sequence[str], words: Callable[[str], Mapping[str, int]]) -> None:
        self.words = words
        self.counts = [words(text) for text in texts]
        self.lengths = [sum(count.values()) for count in self.counts]
        self.mean = sum(self.lengths) / len(self.lengths)
        self.known = Counter(word for count in self.counts for word in count)

    def best(self, query: str, most: int) -> list[int]:
        """The places of the best texts, best first; texts that hold none of the words are left out."""
        asked = [(word, self.weight(word)) for word in self.words(query) if word in self.known]
        scores = [
            (sum(weight * self.part(at, word) for word, weight in asked if word in count), at)
            for at, count in enumerate(self.counts)
        ]
        return [at for score, at in sorted(scores, key=lambda one: (-one[0], one[1]))[:most] if score > 0]

    def weight(self, word: str) -> float:
        """How much a word tells, by how few texts hold it."""
        known = self.known[word]
        return math.log(1 + (len(self.counts) - known + 0.5) / (known + 0.5))

    def part(self, at: int, word: str) -> float:
        """What a word adds by how often it stands in a text, and by the text's length."""
        times = self.counts[at][word]
        return times * (K1 + 1) / (times + K1 * (1 - B + B * self.lengths[at] / self.mean))
