"""Plain text: what a digest may quote from an output without harm to the reader's screen or to our markers."""

from __future__ import annotations

import re

_ANSI = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)?|[ -/]*[0-~])?")
_LINE_ENDS = re.compile(r"\r\n|[\x0b-\r\x85\u2028\u2029]").sub
_CONTROLS = re.compile(r"[\x00-\x08\x0e-\x1f\x7f-\x84\x86-\x9f\ufeff]+").sub
_SURROGATES = re.compile(r"[\ud800-\udfff]").sub
_UNCLEAN = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff]").search
_MARKERS = re.compile(r"<(?=/?(?:compressed-chain|protected-output)\b)|\[(?=(?:pruned|recovered) )", re.IGNORECASE)


def plain(text: str) -> str:
    """`text` without terminal escapes and control characters, with `\\n` for every line end and U+FFFD for
    every lone surrogate."""
    if not _UNCLEAN(text):
        return text
    if "\x1b" in text:
        text = _ANSI.sub("", text)
    return _SURROGATES("\ufffd", _CONTROLS("", _LINE_ENDS("\n", text)))


def counted(count: int, noun: str) -> str:
    """A count with its noun, in the plural where it is not one."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def unmarked(text: str) -> str:
    """`text` with whatever could open or close a block or pass for a stub's header made harmless."""
    return _MARKERS.sub(lambda hit: "\u2039" if hit[0] == "<" else "(", text)
