"""JSON that is cut off or damaged, read as far as it goes."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator
from typing import Any

# Containers inside each other whose end is missing; hosts nest no deeper where it matters.
DEEPEST = 20
# Beginnings that lead nowhere cost the rest of the text each.
TRIES = 50
_BETWEEN = re.compile(r"[\s,]*")
_COLON = re.compile(r"\s*:\s*")
_DECODER = json.JSONDecoder()


def partial(text: str) -> Any:
    """The value that a text begins with; where that is cut off or damaged, what came before stands in it."""
    return _value(text, _after(_BETWEEN, text, 0), DEEPEST)[0]


def standing(
    text: str, begins: re.Pattern[str], stands: Callable[[dict[str, Any]], bool]
) -> Iterator[dict[str, Any]]:
    """The objects that stand whole anywhere in a damaged text: those that begin so and of which `stands` holds."""
    at = failed = 0
    while failed < TRIES and (found := begins.search(text, at)):
        at = found.end()
        try:
            value, end = _DECODER.raw_decode(text, found.start())
        except (ValueError, RecursionError):
            failed += 1
            continue
        if isinstance(value, dict) and stands(value):
            yield value
            at = end


def _value(text: str, at: int, depth: int) -> tuple[Any, int]:
    """The value at a position, and where it ends: -1 where its end is missing."""
    try:
        return _DECODER.raw_decode(text, at)
    except (ValueError, RecursionError):
        kind = text[at : at + 1] if depth else ""
    if kind == "{":
        return _members(text, at + 1, depth - 1), -1
    if kind == "[":
        return _elements(text, at + 1, depth - 1), -1
    return None, -1


def _members(text: str, at: int, depth: int) -> dict[str, Any]:
    members: dict[str, Any] = {}
    while at >= 0 and text[(start := _after(_BETWEEN, text, at)) : start + 1] == '"':
        name, at = _value(text, start, 0)
        if at < 0 or not (colon := _COLON.match(text, at)):
            break
        value, at = _value(text, colon.end(), depth)
        if at >= 0 or value is not None:
            members[name] = value
    return members


def _elements(text: str, at: int, depth: int) -> list[Any]:
    elements = []
    while at >= 0:
        value, at = _value(text, _after(_BETWEEN, text, at), depth)
        if at >= 0 or value is not None:
            elements.append(value)
    return elements


def _after(pattern: re.Pattern[str], text: str, at: int) -> int:
    found = pattern.match(text, at)
    return found.end() if found else at
