"""JSON values as text that people read and search: as JSON, but with strings as they are, not escaped."""

from __future__ import annotations

from typing import Any


def readable(value: Any) -> str:
    """A value as text: `name: value` for each field, on a line of its own; a string stands as it is."""
    return "\n".join(_lines(value, ""))


def _lines(value: Any, name: str) -> list[str]:
    if isinstance(value, dict) and value:
        within = f"{name}." if name else ""
        return [line for key, item in value.items() for line in _lines(item, f"{within}{key}")]
    if isinstance(value, list) and value:
        return [line for item in value for line in _lines(item, name)]
    text = _plain(value)
    if not text:
        return []
    return [f"{name}: {text}" if name else text]


def _plain(value: Any) -> str:
    if isinstance(value, str):
        return value
    if value is None or value == {} or value == []:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)
