"""What both OpenAI formats share: arguments as JSON strings, and results without an error flag."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

import orjson

from prune_mcp.sessions.content import compact_json

_FAILED = re.compile(r"Error:|Exit code (?!0\b)-?\d")


def parsed(arguments: Any) -> Any:
    """Arguments as a JSON value; a string where it is no JSON."""
    if not isinstance(arguments, str):
        return arguments
    try:
        return orjson.loads(arguments)
    except ValueError:
        return _parsed_slowly(arguments)


def dumped(before: Any, value: Any) -> Any:
    """A value in the place of earlier arguments: a JSON string where they were one."""
    return compact_json(value) if isinstance(before, str) or before is None else value


def reports_error(text: str) -> bool:
    """Whether a result says on its face that it failed.

    It starts with `Error:` or with `Exit code N` (N not 0), or is a JSON object whose `success` is false or
    whose `error` is neither empty nor false. Nothing deeper is looked at.
    """
    if _FAILED.match(text):
        return True
    if not text.startswith("{") or ('"success"' not in text and '"error"' not in text):
        return False
    value = parsed(text)
    return isinstance(value, Mapping) and (value.get("success") is False or bool(value.get("error")))


def _parsed_slowly(arguments: str) -> Any:
    """What only the lenient reader takes: lone surrogates, integers over 64 bits."""
    try:
        return json.loads(arguments)
    except (ValueError, RecursionError):
        return arguments
