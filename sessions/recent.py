"""The contents of entries read lately, so that what was just read need not be read and parsed again."""

from __future__ import annotations

from typing import Any


class Recent:
    """Contents by entry index, the oldest dropped once they weigh more than `limit` bytes."""

    def __init__(self, limit: int) -> None:
        self._limit = limit
        self._weight = 0
        self._kept: dict[int, tuple[Any, int]] = {}

    def get(self, entry: int) -> Any:
        """The content, or None where it is not held."""
        kept = self._kept.get(entry)
        return kept[0] if kept else None

    def put(self, entry: int, content: Any, weight: int) -> None:
        """Hold a content that takes about `weight` bytes."""
        if weight > self._limit:
            return
        self._weight += weight - self._kept.pop(entry, (None, 0))[1]
        self._kept[entry] = (content, weight)
        while self._weight > self._limit:
            self._weight -= self._kept.pop(next(iter(self._kept)))[1]

    def clear(self) -> None:
        """Hold nothing."""
        self._weight = 0
        self._kept.clear()
