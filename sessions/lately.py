"""What was noted lately, by key: the newest of it, so that what never ends takes no more and more room."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Generic, TypeVar

K = TypeVar("K")
V = TypeVar("V")


class Lately(Generic[K, V]):
    """At least the `least` newest notes are kept, at most twice as many."""

    def __init__(self, least: int) -> None:
        self._least = least
        self.clear()

    def clear(self) -> None:
        """Keep nothing."""
        self._new: dict[K, V] = {}
        self._old: dict[K, V] = {}

    def put(self, key: K, value: V) -> None:
        """Note something."""
        self._new[key] = value
        if len(self._new) >= self._least:
            # Dropping the older half at once costs nothing per note, as dropping the oldest one by one would.
            self._old, self._new = self._new, {}

    def get(self, key: K) -> V | None:
        """What was noted, or None where it is not kept."""
        value = self._new.get(key)
        return self._old.get(key) if value is None else value

    def __contains__(self, key: object) -> bool:
        """Whether a note with this key is kept."""
        return key in self._new or key in self._old

    def __iter__(self) -> Iterator[K]:
        """The keys, the oldest first."""
        yield from (key for key in self._old if key not in self._new)
        yield from self._new
