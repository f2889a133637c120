"""Conversations that stand whole inside a damaged value: a torn one may have swallowed those behind it."""

from __future__ import annotations

import re
from collections.abc import Iterator

from prune_mcp.sessions.export_kinds import Unusable, kept_as
from prune_mcp.sessions.export_stream import Values
from prune_mcp.sessions.jsontext import loads

# How a conversation begins behind another value.
_BEGINS = re.compile(rb'(?<=,)\s*\{\s*"(?:uuid|id|title|name|conversation_id|create_time|account)"\s*:')
# Beginnings that lead nowhere cost the whole rest each.
TRIES = 50


def salvaged(data: bytes) -> Iterator[bytes]:
    """The conversations inside, as they stand there."""
    at, failed = 1, 0
    while failed < TRIES and (found := _BEGINS.search(data, at)):
        value = next(iter(Values().split([data[found.start() :]])), None)
        if value and not value.damage and _is_chat(value.data):
            yield value.data
            at = found.end() + len(value.data) - 1
        else:
            failed += bool(value and value.damage)
            at = found.end()


def _is_chat(data: bytes) -> bool:
    try:
        return kept_as(loads(data), "").host in ("claude.ai", "chatgpt")
    except (ValueError, Unusable):
        return False
