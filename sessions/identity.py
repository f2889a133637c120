"""Ids that a message keeps when the array around it is pruned, cut or grown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from hashlib import sha256

# How the texts begin that pruning puts among a message's own (blocks, notes for orphans): they never count
# towards an id.
OWN_TEXTS = ('<compressed-chain id="', "[left out t")


def own_words(texts: Iterable[str]) -> list[str]:
    """The texts without those that pruning may have inserted."""
    return [text for text in texts if not text.startswith(OWN_TEXTS)]


def digest(*fields: Iterable[str]) -> str:
    """16 hex digits over lists of texts; neither their order nor their borders can be confused."""
    hasher = sha256()
    for field in fields:
        for text in field:
            data = text.encode("utf-8", "surrogatepass")
            hasher.update(b"%d:" % len(data))
            hasher.update(data)
        hasher.update(b";")
    return hasher.hexdigest()[:16]


class Numbering:
    """Tells equal ids apart: the second gets `#2`, the third `#3`."""

    def __init__(self) -> None:
        self._seen: Counter[str] = Counter()

    def unique(self, id: str) -> str:
        """`id`, numbered if it was given out before."""
        self._seen[id] += 1
        count = self._seen[id]
        return id if count == 1 else f"{id}#{count}"
