"""A segment's file: a header, blocks as they were appended, and named sections, each part with a checksum."""

from __future__ import annotations

import mmap
import os
import struct
import threading
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple, Self

import zstandard

MAGIC = b"PRUNESEG"
VERSION = 1
COLUMNS = ("sources", "roles", "tools", "flags", "times", "copies", "frames", "slots", "sizes", "lengths")
SECTIONS = ("blocks", "leaves", *COLUMNS)

# Magic, version, bytes of the file; documents, terms, postings, sum of lengths; then (start, bytes, crc32) of each
# section and the crc32 of all this. In the machine's own byte order: another machine's file has another version.
_FIRST = struct.Struct("=8sIQIIQQ")
_PLACE = struct.Struct("=QQI")
_CHECK = struct.Struct("=I")
HEADER_BYTES = _FIRST.size + len(SECTIONS) * _PLACE.size + _CHECK.size

# No sealed block holds more than this, so that a damaged size allocates nothing absurd.
_MOST_UNSEALED = 1 << 27
_threads = threading.local()


class SegmentDamaged(Exception):
    """A segment cannot be used: its file is missing, cut, changed or of another version; build it anew."""


class Totals(NamedTuple):
    """What a segment holds: documents, terms, postings, and the sum of its documents' lengths in terms."""

    docs: int
    terms: int
    postings: int
    length: int


def seal(data: bytes) -> bytes:
    """A block as it is kept: compressed, a checksum before it."""
    frame: bytes = zstandard.ZstdCompressor(level=1).compress(data)
    return _CHECK.pack(zlib.crc32(frame)) + frame


def unseal(block: memoryview, where: Path) -> bytes:
    """What was sealed.

    Raises:
        SegmentDamaged: it is not what was sealed.
    """
    frame = block[_CHECK.size :]
    if len(block) <= _CHECK.size or _CHECK.unpack_from(block)[0] != zlib.crc32(frame):
        raise damaged(where, "a block does not fit its checksum")
    try:
        if not 0 <= zstandard.frame_content_size(frame) <= _MOST_UNSEALED:
            raise damaged(where, "a block has an impossible size")
        return _decompressor().decompress(frame)
    except zstandard.ZstdError as error:
        raise damaged(where, f"a block cannot be read ({error})") from error


def damaged(where: Path, what: str) -> SegmentDamaged:
    """The error about one segment."""
    return SegmentDamaged(f"The index segment {where} is damaged: {what}. It has to be built anew from the packs.")


def _decompressor() -> zstandard.ZstdDecompressor:
    """This thread's decompressor: one must not serve two threads at once."""
    mine: zstandard.ZstdDecompressor | None = getattr(_threads, "decompressor", None)
    if mine is None:
        mine = _threads.decompressor = zstandard.ZstdDecompressor()
    return mine


class SegmentFileWriter:
    """Writes a segment's file under a temporary name beside `path`, and renames it once it is whole.

    Used as a context: what was not finished is taken away.
    """

    def __init__(self, path: Path) -> None:
        import tempfile

        self._path = path
        handle, name = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".tmp")
        self._unfinished = Path(name)
        self._file = os.fdopen(handle, "wb")
        self._file.write(bytes(HEADER_BYTES))
        self._size = 0
        self._crc = 0

    def append(self, block: bytes) -> int:
        """Append a sealed block; returns where it begins, in bytes from the first one."""
        self._file.write(block)
        self._crc = zlib.crc32(block, self._crc)
        self._size += len(block)
        return self._size - len(block)

    def finish(self, totals: Totals, sections: Mapping[str, bytes]) -> None:
        """Write every section but `blocks`, then the header, and give the file its name."""
        places = [(HEADER_BYTES, self._size, self._crc)]
        at = HEADER_BYTES + self._size
        for name in SECTIONS[1:]:
            data = sections[name]
            places.append((at, len(data), zlib.crc32(data)))
            at += self._file.write(data)
        header = _FIRST.pack(MAGIC, VERSION, at, *totals) + b"".join(_PLACE.pack(*p) for p in places)
        self._file.seek(0)
        self._file.write(header + _CHECK.pack(zlib.crc32(header)))
        self._file.close()
        self._unfinished.replace(self._path)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._file.close()
        self._unfinished.unlink(missing_ok=True)


class SegmentFile:
    """A segment's file, opened: the header is checked at once, each section when it is first asked for.

    Raises:
        SegmentDamaged: the file is missing, cut, of another version, or its header impossible.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        try:
            with path.open("rb") as file:
                self._map = memoryview(mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ))
        except (OSError, ValueError) as error:
            raise damaged(path, f"it cannot be opened ({error})") from error
        self.totals = self._header()
        self._sound: set[str] = set()
        start, size, _ = self._places["blocks"]
        self.blocks = self._map[start : start + size]

    def _header(self) -> Totals:
        header = self._map[:HEADER_BYTES]
        if len(header) < HEADER_BYTES:
            raise damaged(self.path, "it is cut short")
        magic, version, size, *totals = _FIRST.unpack_from(header)
        if magic != MAGIC or version != VERSION:
            raise damaged(self.path, "it is no segment of this version")
        if _CHECK.unpack_from(header, HEADER_BYTES - _CHECK.size)[0] != zlib.crc32(header[: -_CHECK.size]):
            raise damaged(self.path, "its header does not fit its checksum")
        if size != len(self._map):
            raise damaged(self.path, f"it has {len(self._map)} bytes instead of {size}")
        found = [_PLACE.unpack_from(header, _FIRST.size + n * _PLACE.size) for n in range(len(SECTIONS))]
        if any(start < HEADER_BYTES or start + length > size for start, length, _ in found):
            raise damaged(self.path, "a section lies outside of it")
        self._places = dict(zip(SECTIONS, found, strict=True))
        return Totals(*totals)

    def section(self, name: str) -> memoryview:
        """The bytes of a section, none of them copied.

        Raises:
            SegmentDamaged: they do not fit their checksum.
        """
        start, size, crc = self._places[name]
        data = self._map[start : start + size]
        if name not in self._sound:
            if zlib.crc32(data) != crc:
                raise damaged(self.path, f"its section {name} does not fit its checksum")
            self._sound.add(name)
        return data

    def block(self, start: int, size: int) -> bytes:
        """What was sealed in `size` bytes from `start` of the blocks.

        Raises:
            SegmentDamaged: it is not what was sealed.
        """
        return unseal(self.blocks[start : start + size], self.path)

    def check(self) -> None:
        """Verify every byte of the file against its checksum.

        Raises:
            SegmentDamaged: a section differs from what was written.
        """
        self._sound.clear()
        for name in SECTIONS:
            self.section(name)
