"""Records of a view linked over what vanished between them, or was put there."""

from __future__ import annotations

from typing import Any

from prune_mcp.sessions.content import string

Raw = dict[str, Any]


class Links:
    """The links of one rendering. `parent_key`: the field of a record that names its parent."""

    def __init__(self, parent_key: str) -> None:
        self._key = parent_key
        self._instead: dict[str, str] = {}
        self._last = ""

    def parent_of_new(self, id: str, pattern: Raw) -> str | None:
        """The parent of a record that is put in here; what followed that parent follows the new record."""
        parent = self._last or string(pattern.get(self._key))
        self._instead[parent] = id
        return parent or None

    def linked(self, id: str, edited: Raw | None) -> Raw | None:
        """`edited` with the parent it has in the view; to be told of every record, vanished ones as None."""
        if edited is None:
            self._instead[id] = self._last
            return None
        parent = self._instead.get(string(edited.get(self._key)), id)
        self._last = id
        return edited if parent == id else {**edited, self._key: parent or None}
