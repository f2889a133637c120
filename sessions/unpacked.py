"""A compressed file read as what it holds: forward as a stream, anywhere in it from a copy without a name."""

from __future__ import annotations

import io
import os
from contextlib import ExitStack
from pathlib import Path
from typing import BinaryIO, cast

from prune_mcp.sessions.model import SessionError

SUFFIX = ".zst"
# A copy of more than this is written to disk; the system deletes it when it is closed.
IN_MEMORY = 16 << 20
CHUNK = 1 << 18


def is_packed(file: Path | os.DirEntry[str]) -> bool:
    """Whether a file is a compressed one, by its name."""
    return file.name.endswith(SUFFIX)


def unpacked(path: Path) -> BinaryIO:
    """The compressed file, to be read as what it holds; its `fileno` is the file's own.

    Reading raises SessionError where it is none. One that is damaged further on ends there.

    Raises:
        OSError: it cannot be opened.
    """
    return io.BufferedReader(Unpacked(path.open("rb", buffering=0)), CHUNK)


class Unpacked(io.RawIOBase):
    """What a compressed file holds. Going back in it unpacks all of it, once."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._stream = self._decompressed()
        self._open = ExitStack()
        self._position = 0
        self._copied = False

    def readable(self) -> bool:
        """Always."""
        return True

    def seekable(self) -> bool:
        """Always."""
        return True

    def fileno(self) -> int:
        """The descriptor of the compressed file."""
        return self._file.fileno()

    def tell(self) -> int:
        """How many bytes of what it holds are before the next one read."""
        return self._position

    def read(self, size: int = -1, /) -> bytes:
        """Up to so many bytes; all that are left where `size` is negative."""
        if size < 0:
            return b"".join(iter(lambda: self.read(CHUNK), b""))
        data = self._read(self._stream, size, started=self._position > 0)
        self._position += len(data)
        return data

    def readinto(self, buffer: object, /) -> int:
        """Fill a buffer as far as there are bytes."""
        view = memoryview(cast(bytearray, buffer))
        data = self.read(len(view))
        view[: len(data)] = data
        return len(data)

    def seek(self, offset: int, whence: int = os.SEEK_SET, /) -> int:
        """Go to a place in what it holds."""
        if whence == os.SEEK_END:
            self.read()
        target = offset + (0 if whence == os.SEEK_SET else self._position)
        if target < self._position and not self._copied:
            self._back(target)
        if self._copied:
            self._position = self._stream.seek(target)
        while self._position < target and self.read(min(CHUNK, target - self._position)):
            pass
        return self._position

    def close(self) -> None:
        """Let go of the file and of the copy."""
        if not self.closed:
            self._stream.close()
            self._open.close()
            self._file.close()
        super().close()

    def _decompressed(self) -> BinaryIO:
        from zstandard import ZstdDecompressor

        self._file.seek(0)
        return ZstdDecompressor().stream_reader(self._file, read_across_frames=True, closefd=False)

    def _back(self, target: int) -> None:
        """Go back: to the start by unpacking again, anywhere else in a copy."""
        from tempfile import SpooledTemporaryFile

        packed = self._decompressed()
        if target == 0:
            self._stream, self._position = packed, 0
            return
        with ExitStack() as files:
            copy = files.enter_context(SpooledTemporaryFile(max_size=IN_MEMORY))
            while data := self._read(packed, CHUNK, started=True):
                copy.write(data)
            self._open = files.pop_all()
        self._stream, self._copied = cast(BinaryIO, copy), True

    def _read(self, stream: BinaryIO, size: int, started: bool) -> bytes:
        from zstandard import ZstdError

        try:
            data = stream.read(size)
        except ZstdError as error:
            if started:
                return b""
            raise SessionError(f"{self._file.name} is damaged and cannot be unpacked ({error}).") from None
        if not data and size and not started:
            raise SessionError(f"{self._file.name} is cut off: nothing can be unpacked from it.")
        return data
