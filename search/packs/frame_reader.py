"""Reading frames out of packs; those read last are held."""

from __future__ import annotations

import threading
from collections import OrderedDict
from pathlib import Path

from prune_mcp.search.packs.frame import Frame, texts_of, unpacked
from prune_mcp.search.packs.pack import Packs

# How much text of frames is held, in bytes.
HELD_BYTES = 16 << 20


class FrameReader:
    """Frames by their pack's path and the byte they begin at; usable from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._packs = Packs()
        self._frames: OrderedDict[tuple[Path, int], Frame] = OrderedDict()
        self._held = 0

    def frame(self, path: Path, start: int) -> Frame:
        """A frame with its texts.

        Raises:
            FrameDamaged: there is none, or it is damaged.
        """
        if held := self._known(path, start):
            return held
        frame = unpacked(self._packs.read(path, start), _named(path, start))
        with self._lock:
            self._hold(path, start, frame)
        return frame

    def texts(self, path: Path, start: int) -> bytes:
        """The texts of a frame, one behind the other; for those that are looked at once, and not to be held.

        Raises:
            FrameDamaged: there is none, or it is damaged.
        """
        held = self._known(path, start)
        return held.texts if held else texts_of(self._packs.read(path, start), _named(path, start))

    def keep_only(self, paths: set[Path]) -> None:
        """Close all packs but these."""
        self._packs.keep_only(paths)

    def close(self) -> None:
        """Close all packs, and hold nothing; reading again opens them again."""
        self._packs.close()
        with self._lock:
            self._frames.clear()
            self._held = 0

    def _known(self, path: Path, start: int) -> Frame | None:
        with self._lock:
            frame = self._frames.get((path, start))
            if frame is not None:
                self._frames.move_to_end((path, start))
            return frame

    def _hold(self, path: Path, start: int, frame: Frame) -> None:
        if (path, start) not in self._frames:
            self._held += len(frame.texts)
        self._frames[path, start] = frame
        while self._held > HELD_BYTES and len(self._frames) > 1:
            self._held -= len(self._frames.popitem(last=False)[1].texts)


def _named(path: Path, start: int) -> str:
    return f"byte {start} of {path}"
