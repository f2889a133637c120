"""A frame in the making: passages of one source and one shard, until they are enough."""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import lru_cache

from prune_mcp.search.catalog.source import Source
from prune_mcp.search.packs.frame import Header, Kept, Origin, packed
from prune_mcp.storage.codec import decode

# A frame is closed when it holds so many bytes of text.
FRAME_BYTES = 1 << 16
_DAY = 24 * 60 * 60


class OpenFrame:
    """The passages gathered for the next frame in this shard. `size`: bytes of their texts."""

    def __init__(self, shard: str) -> None:
        self.shard = shard
        self.kept: list[Kept] = []
        self.size = 0
        self._texts: list[bytes] = []

    @property
    def full(self) -> bool:
        """Whether it holds enough."""
        return self.size >= FRAME_BYTES

    def add(self, kept: Kept, text: bytes) -> None:
        """Take a passage."""
        self.kept.append(kept)
        self._texts.append(text)
        self.size += len(text)

    def header(self, commit: int, source: Source, whole: bool, instead: Sequence[int]) -> Header:
        """What the frame says before its texts, when all of it was counted in `source` already."""
        origin = Origin(
            source.number,
            source.path,
            source.inside,
            source.host,
            source.session,
            source.parent,
            source.cwd,
            source.project,
            source.title,
        )
        return Header(commit, source.passages - len(self.kept), whole, instead, origin, self.kept)

    def packed(self, header: Header) -> bytes:
        """The frame as bytes."""
        return packed(header, b"".join(self._texts))

    def decoded(self) -> list[str]:
        """The texts."""
        return [decode(text) for text in self._texts]


def month(seconds: int) -> str:
    """The shard of a time in seconds since the epoch: its month in UTC."""
    return _month(seconds // _DAY)


@lru_cache(maxsize=256)
def _month(day: int) -> str:
    try:
        return time.strftime("%Y-%m", time.gmtime(day * _DAY))
    except (ValueError, OverflowError, OSError):
        return "1970-01"
