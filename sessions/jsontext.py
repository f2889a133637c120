"""JSON as transcripts hold it, read leniently and exactly."""

from __future__ import annotations

import json
from typing import Any

import orjson

# What may stand around a value: blanks, a byte order mark, and the zeros that a crash leaves.
BLANK = b"\0 \t\r\n\xef\xbb\xbf"
# A run of so many digits may be an integer that does not fit 64 bits.
_LONG = b"0" * 19
_DIGITS = bytes(48 if 48 <= c <= 57 else 32 for c in range(256))


def loads(data: bytes) -> Any:
    """The JSON value of `data`; invalid UTF-8 becomes lone surrogates, which bad escapes may be as well.

    Raises:
        ValueError: it is no JSON.
    """
    try:
        return orjson.loads(data)
    except orjson.JSONDecodeError:
        return _loads_leniently(data)


def loads_exactly(data: bytes) -> Any:
    """As `loads`, but integers over 64 bits stay integers (orjson makes floats of them).

    Raises:
        ValueError: it is no JSON.
    """
    if _LONG in data.translate(_DIGITS):
        return _loads_leniently(data)
    return loads(data)


def holds_float(value: Any) -> bool:
    """Whether a number in `value` could be an integer that `loads` made a float."""
    if type(value) is dict:
        return any(map(holds_float, value.values()))
    if type(value) is list:
        return any(map(holds_float, value))
    return type(value) is float


def _loads_leniently(data: bytes) -> Any:
    try:
        return json.loads(data.decode("utf-8", "surrogateescape"))
    except RecursionError:
        raise ValueError("nested too deeply") from None
