"""Records of a view linked over what vanished between them, or was put there."""

from __future__ import annotations

from typing import Any

Raw = dict[str, Any]


class Links:
    """The links of one rendering. `parent_key`: the field of a record that names its parent."""

    def __init__(self, parent_key: str) -> None:
        self._key = parent_key
        self._instead: dict[Any, str] = {}
        self._last: str | None = None

    def parent_of_new(self, id: str, pattern: Raw) -> Any:
        """The parent of a record that is put in here; what followed that parent follows the new record."""
        parent = pattern.get(self._key) if self._last is None else self._last
        self._instead[parent] = id
        return parent

    def linked(self, id: str, raw: Raw, edited: Raw | None) -> Raw | None:
        """`edited` with the parent it has in the view; to be told of every record, vanished ones as None."""
        if edited is None:
            self._instead[id] = self._last or ""
            return None
        parent = self._instead.get(edited.get(self._key))
        self._last = id
        if parent is None or parent == id:
            return edited
        return {**edited, self._key: parent or None}
