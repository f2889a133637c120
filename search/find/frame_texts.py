"""The texts of a frame, looked at as a whole: in bytes, without being taken apart."""

from __future__ import annotations

import re
from functools import cached_property

from prune_mcp.search.find.places import Text
from prune_mcp.storage.codec import decode

_ASCII = bytes(range(128))
_COLOUR = re.compile(rb"\x1b\[[0-9;:?]*[A-Za-z]")
# Where a character begins that folds to ASCII, as accented letters do, or to nothing. (One that makes an emoji of
# what is before it stands in no word.)
_FOLDS = re.compile(
    rb"[\xc3-\xc8\xca-\xcd\xd6\xd7\xd9]|\xc2[\xaa\xad\xb2\xb3\xb5\xb9\xba\xbc-\xbe]|\xe1[\xb4-\xbb]"
    rb"|\xe2(?:\x80[\x8b-\x8f]|[\x81\x82\x84\x85\x91-\x93\xb1]|\x86\x89)|\xe3[\x89-\x8f]|\xea\x9f"
    rb"|\xef(?:[\xac\xb3\xb9\xbb-\xbd]|\xb8(?!\x8f))|\xf0(?:\x90\x9e|\x9d|\x9f(?:[\x84-\x86]|\xaf))"
)


class FrameTexts:
    """Several texts, one behind the other in UTF-8. `known_plain`: whether they are `plain`, as far as known."""

    def __init__(self, texts: bytes, known_plain: bool | None = None) -> None:
        self.known_plain = known_plain
        self._texts = texts

    @cached_property
    def lower(self) -> bytes:
        """Them with small letters."""
        return self._texts.lower()

    @cached_property
    def uncoloured(self) -> bytes:
        """Them with small letters and without a terminal's colours; empty where they have none."""
        return _COLOUR.sub(b"", self.lower).replace(b"\x1b", b" ") if b"\x1b" in self._texts else b""

    @property
    def plain(self) -> bool:
        """Whether nothing in them stands for other ASCII characters than it is, nor for none."""
        if self.known_plain is None:
            self.known_plain = is_plain(self.lower)
        return self.known_plain

    @cached_property
    def folded(self) -> str:
        """Them as terms are written."""
        return Text(decode(self._texts)).folded


def is_plain(lower: bytes) -> bool:
    """Whether nothing in lower-cased UTF-8 stands for other ASCII characters than it is, nor for none."""
    return b"\x1b" not in lower and (lower.isascii() or not _FOLDS.search(lower.translate(None, _ASCII)))
