"""Bodies packed and unpacked: small ones as bytes of a row, large ones as files, whole or not there at all."""

from __future__ import annotations

import os
import re
import time
import zlib
from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO, NamedTuple

from prune_mcp.storage.codec import digest
from prune_mcp.storage.errors import BodyDamaged
from prune_mcp.storage.home import private_folder

# A body given up on purpose is `RELEASED`: its row stays and nothing else.
RAW, ZLIB, RELEASED = 0, 1, 2
SUFFIXES = {RAW: "", ZLIB: ".z"}
NAME = re.compile(r"([0-9a-f]{64})(\.z)?")
UNFINISHED = "unfinished"
LEVEL = 1

# Sizes in bytes.
TINY = 256
LARGE = 65_536
CHUNK = 65_536

# No deflated byte stands for more bytes than this, so that a damaged size allocates nothing absurd.
MOST = 1032

LEFTOVER_SECONDS = 24 * 3600


def compressor(size: int) -> zlib._Compress:
    """A compressor no larger than `size` bytes of input need: most of the cost of a small body is its set-up."""
    window = min(max(size.bit_length(), 9), 15)
    return zlib.compressobj(LEVEL, zlib.DEFLATED, window, 7)


def pack(data: bytes) -> tuple[int, bytes]:
    """The packing and the bytes to keep: compressed where that saves an eighth, else as they are."""
    if len(data) < TINY:
        return RAW, data
    deflate = compressor(len(data))
    packed = deflate.compress(data) + deflate.flush()
    return (ZLIB, packed) if len(packed) <= len(data) * 7 // 8 else (RAW, data)


def unpack(sha: str, packing: int, size: int, kept: bytes, where: str) -> bytes:
    """The body named `sha` out of its kept bytes; `size` is what it must come to, in bytes.

    Raises:
        BodyDamaged: it is not what was stored.
    """
    try:
        data = kept if packing == RAW else zlib.decompress(kept, bufsize=max(1, min(size, len(kept) * MOST)))
    except zlib.error as error:
        raise damaged(sha, where, str(error)) from error
    if len(data) != size:
        raise damaged(sha, where, f"{len(data)} bytes instead of {size}")
    if digest(data) != sha:
        raise damaged(sha, where, "its bytes differ from what was stored")
    return data


def damaged(sha: str, where: str, what: str) -> BodyDamaged:
    """The error about one body."""
    return BodyDamaged(
        f"The body {sha} in {where} is damaged: {what}. A good copy put back there mends it; all other bodies "
        "are unaffected.",
        where,
        what,
    )


class BodyFile(NamedTuple):
    """A file of a body, `size` bytes large; one that was never finished has no `sha`."""

    path: Path
    sha: str
    packing: int
    size: int


class BodyFiles:
    """The large bodies under `folder`, one file each: `ab/<sha>`, with `.z` where it is compressed."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._swept = False

    def path(self, sha: str, packing: int) -> Path:
        """Where the file of a body stands."""
        return self.folder / sha[:2] / (sha + SUFFIXES[packing])

    def holds(self, sha: str, packing: int) -> bool:
        """Whether the file of a body is there and not empty."""
        if packing not in SUFFIXES:
            return False
        try:
            return self.path(sha, packing).stat().st_size > 0
        except FileNotFoundError:
            return False

    def write(self, sha: str, data: bytes) -> int:
        """Keep a body in its file, safely on disk when this returns; returns its packing.

        Raises:
            OSError: the file cannot be written; no part of it stays under its name.
        """
        import tempfile

        packing = ZLIB if pack(data[:CHUNK])[0] == ZLIB else RAW
        target = self.path(sha, packing)
        made = private_folder(target.parent)
        self._sweep()
        handle, name = tempfile.mkstemp(dir=self._waiting())
        unfinished = Path(name)
        try:
            with os.fdopen(handle, "wb") as file:
                fill(file, data, packing)
            unfinished.replace(target)
        except BaseException:
            unfinished.unlink(missing_ok=True)
            raise
        settle(target.parent)
        if made:
            settle(self.folder)
        return packing

    def read(self, sha: str, packing: int, size: int) -> bytes:
        """A body's bytes, checked.

        Raises:
            BodyDamaged: the file is missing or not what was stored.
        """
        path = self.path(sha, packing)
        try:
            kept = path.read_bytes()
        except FileNotFoundError as error:
            raise damaged(sha, str(path), "the file is missing") from error
        return unpack(sha, packing, size, kept, str(path))

    def walk(self) -> Iterator[BodyFile]:
        """Every file below the folder that is a body, or was to become one."""
        for folder in sorted(self.folder.iterdir()) if self.folder.is_dir() else ():
            if folder.is_dir():
                yield from self._within(folder)

    def _within(self, folder: Path) -> Iterator[BodyFile]:
        with os.scandir(folder) as entries:
            for entry in entries:
                try:
                    size = entry.stat().st_size
                except FileNotFoundError:
                    continue
                named = NAME.fullmatch(entry.name)
                if named and named[1][:2] == folder.name:
                    yield BodyFile(Path(entry.path), named[1], ZLIB if named[2] else RAW, size)
                elif folder.name == UNFINISHED:
                    yield BodyFile(Path(entry.path), "", RAW, size)

    def _waiting(self) -> Path:
        """The folder of files not yet whole."""
        folder = self.folder / UNFINISHED
        private_folder(folder)
        return folder

    def _sweep(self) -> None:
        """Once per opening, take away what killed writers left behind a day or more ago."""
        if self._swept:
            return
        self._swept = True
        oldest = time.time() - LEFTOVER_SECONDS
        for path in self._waiting().iterdir():
            try:
                if path.stat().st_mtime < oldest:
                    path.unlink()
            except FileNotFoundError:
                continue


def fill(file: BinaryIO, data: bytes, packing: int) -> None:
    """Write a body chunk by chunk, so that no second copy of it is held, and push it to the disk."""
    deflate = compressor(len(data)) if packing == ZLIB else None
    for chunk in chunks(data):
        file.write(deflate.compress(chunk) if deflate else chunk)
    if deflate:
        file.write(deflate.flush())
    file.flush()
    os.fsync(file.fileno())


def chunks(data: bytes) -> Iterator[memoryview]:
    """The bytes in pieces of `CHUNK`, none of them copied."""
    view = memoryview(data)
    for start in range(0, len(data), CHUNK):
        yield view[start : start + CHUNK]


def settle(folder: Path) -> None:
    """Push a folder's names to the disk; Windows has no such call and needs none."""
    if os.name == "nt":
        return
    handle = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
