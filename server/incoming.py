"""JSON as it comes in, made valid: the SDK's parser refuses a whole message for one lone surrogate in it."""

from __future__ import annotations

import re

# Every JSON escape, so that an escaped backslash before "ud800" is not mistaken for one.
ESCAPE = re.compile(r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|.)")
SURROGATE = re.compile(r"\\u[dD][89a-fA-F][0-9a-fA-F]{2}")


def valid(text: str) -> str:
    """JSON text with each escape of a lone surrogate replaced by U+FFFD's."""
    return ESCAPE.sub(_valid_escape, text) if SURROGATE.search(text) else text


def valid_bytes(data: bytes) -> bytes:
    """JSON in UTF-8, also where the bytes were not: what is no character reads U+FFFD, as do lone surrogates."""
    return valid(data.decode("utf-8", errors="replace")).encode()


def _valid_escape(escape: re.Match[str]) -> str:
    return "\\ufffd" if SURROGATE.fullmatch(escape[0]) else escape[0]
