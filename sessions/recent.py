"""The contents of entries read lately, so that what was just read need not be read and parsed again."""

from __future__ import annotations

from typing import Any


class Recent:
    """Contents by entry index. Between half of `limit` and all of it is held, in bytes, newest first."""

    def __init__(self, limit: int) -> None:
        self._half = limit // 2
        self.clear()

    def clear(self) -> None:
        """Hold nothing."""
        self._weight = 0
        self._new: dict[int, Any] = {}
        self._old: dict[int, Any] = {}

    def get(self, entry: int) -> Any:
        """The content, or None where it is not held."""
        content = self._new.get(entry)
        return self._old.get(entry) if content is None else content

    def put(self, entry: int, content: Any, weight: int) -> None:
        """Hold a content that takes about `weight` bytes, unless it alone would fill the half."""
        if weight > self._half:
            return
        self._weight += weight
        if self._weight > self._half:
            # Dropping half at once costs nothing per entry, as dropping the oldest one by one would.
            self._old, self._new, self._weight = self._new, {}, weight
        self._new[entry] = content
