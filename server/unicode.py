"""JSON values that may leave over MCP: one lone surrogate in an answer would end a stdio server."""

from __future__ import annotations

from typing import Any


def clean(value: Any) -> Any:
    """The JSON value with each lone surrogate in its texts and keys shown as U+FFFD; the input is not mutated."""
    from prune_mcp.engine.recovery.fence import visible

    if isinstance(value, str):
        return visible(value)
    if isinstance(value, dict):
        return {clean(key): clean(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [clean(item) for item in value]
    return value


def surrogates(value: Any) -> int:
    """How many lone surrogates the texts and keys of a JSON value hold."""
    from prune_mcp.engine.recovery.fence import SURROGATE

    if isinstance(value, str):
        return 0 if value.isascii() else len(SURROGATE.findall(value))
    if isinstance(value, dict):
        return sum(surrogates(key) + surrogates(item) for key, item in value.items())
    return sum(map(surrogates, value)) if isinstance(value, list | tuple) else 0
