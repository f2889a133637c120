"""Ids that a message keeps when the array around it is pruned, cut or grown."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from hashlib import sha256

# How the texts begin that pruning puts among a user message's own, or in place of an orphaned call or result.
INSERTED = '<compressed-chain id="'
NOTE = "[left out t"


def own_words(texts: Iterable[str]) -> list[str]:
    """The texts without those that pruning may have put there."""
    return [text for text in texts if not text.startswith((INSERTED, NOTE))]


def telling_words(texts: Sequence[str]) -> list[str]:
    """The texts that tell a message from others: its own words, or else the first text where it looks like an
    insertion (insertions come behind what was there)."""
    return own_words(texts) or [text for text in texts[:1] if text.startswith(INSERTED)]


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


def uuid_from(digest: str) -> str:
    """An id in the form of a uuid (version 8) from the first 32 hex digits of a hash."""
    return f"{digest[:8]}-{digest[8:12]}-8{digest[13:16]}-a{digest[17:20]}-{digest[20:32]}"


class Numbering:
    """Tells equal ids apart: the second gets `#2`, the third `#3`."""

    def __init__(self) -> None:
        self._seen: Counter[str] = Counter()

    def unique(self, id: str) -> str:
        """`id`, numbered if it was given out before."""
        self._seen[id] += 1
        count = self._seen[id]
        return id if count == 1 else f"{id}#{count}"
