"""Colours in a terminal's text: a secret is told without them, also where they stand in the middle of it."""

from __future__ import annotations

import re
from bisect import bisect_right

# Also as a string's escapes, for output that stands in JSON or code, or in JSON there.
_INK = re.compile(r"(?:\x1b|\\{1,4}(?:u001[bB]|x1[bB]|033))\[[\d;:]{0,24}[mK]")
# One search for all of these would take five times as long.
_SIGNS = ("033[", "1b[", "1B[")


def plain(text: str) -> str:
    """The text without colours, the very same one where it has none."""
    if "\x1b" in text or ("\\" in text and any(sign in text for sign in _SIGNS)):
        return _INK.sub("", text)
    return text


class Inked:
    """Where in a text with colours the parts of the plain one stand."""

    def __init__(self, text: str) -> None:
        self._starts: list[int] = []
        self._inks: list[int] = []
        ink = 0
        for found in _INK.finditer(text):
            self._starts.append(found.start() - ink)
            ink += found.end() - found.start()
            self._inks.append(ink)

    def where(self, start: int, end: int) -> tuple[int, int]:
        """Where a part of the plain text stands, from its first character to its last."""
        return self._at(start), self._at(end - 1) + 1

    def _at(self, place: int) -> int:
        before = bisect_right(self._starts, place)
        return place + (self._inks[before - 1] if before else 0)
