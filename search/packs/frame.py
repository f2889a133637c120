"""A frame: some passages of one source in a row as a pack keeps them, with what it takes to know them again."""

from __future__ import annotations

import json
import struct
import zlib
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from hashlib import blake2b
from typing import Any, NamedTuple

import orjson

from prune_mcp.search.rows import ABANDONED, ECHO, ERROR, SIDE
from prune_mcp.sessions.passage import SPEAKERS, Passage, Speaker
from prune_mcp.storage.codec import decode, encode

MAGIC = b"\xf5PF1"
# Magic, bytes of the packed header, bytes of the packed texts, bytes of the header, of the texts, checksum.
PREFIX = struct.Struct("<4sIIIII")
LEVEL = 3
# No frame of ours stands for more; a damaged size must not ask for all the memory there is.
MOST_BYTES = 1 << 31


class FrameDamaged(Exception):
    """A frame is not what was written, or not the one that was asked for; the message says where."""


@dataclass(frozen=True, slots=True)
class Origin:
    """Where a frame's passages come from, as far as it was known when the frame was written.

    `source`: the number of the source; of two numbers at one path the higher one stands.
    """

    source: int
    path: str
    inside: str
    host: str
    session: str = ""
    parent: str = ""
    cwd: str = ""
    project: str = ""
    title: str = ""


class Kept(NamedTuple):
    """A passage as frames keep it: `Passage` without its text, but with its `Row.flags` and `Row.copy`.

    `size`: its text in UTF-8 bytes.
    """

    entry: str
    at: int
    role: Speaker
    tool: str
    time: float
    flags: int
    copy: int
    size: int


@dataclass(frozen=True)
class Header:
    """What a frame says before its texts. `commit`: the version of the catalog that first named it. `first`: how
    many passages of its source come before it. `whole`: with it the source was in, as far as it was there.
    `instead`: the numbers of sources that it took the place of then."""

    commit: int
    first: int
    whole: bool
    instead: Sequence[int]
    origin: Origin
    kept: Sequence[Kept]


@dataclass(frozen=True)
class Frame(Header):
    """A frame with its texts, secrets masked."""

    texts: bytes = b""

    @cached_property
    def _starts(self) -> list[int]:
        starts = [0]
        for kept in self.kept:
            starts.append(starts[-1] + kept.size)
        return starts

    def text(self, slot: int) -> str:
        """The text of one of its passages."""
        return decode(self.texts[self._starts[slot] : self._starts[slot + 1]])

    def passage(self, slot: int) -> Passage:
        """One of its passages."""
        entry, at, role, tool, time, flags, _, _ = self.kept[slot]
        return Passage(entry, at, role, self.text(slot), tool, time, *_booleans(flags))


def keep(passage: Passage, text: str) -> tuple[Kept, bytes]:
    """A passage as frames keep it, with its text (masked) in bytes."""
    data = encode(text)
    flags = flags_of(passage)
    copy = copy_of(passage.role, data)
    seconds = round(passage.time, 3)
    kept = Kept(passage.entry, passage.at, passage.role, passage.tool, seconds, flags, copy, len(data))
    return kept, data


def flags_of(passage: Passage) -> int:
    """The flags of a passage as rows have them."""
    return (
        ABANDONED * passage.abandoned + SIDE * passage.side + ECHO * passage.echo + ERROR * passage.error
    )  # fmt: skip


def _booleans(flags: int) -> tuple[bool, bool, bool, bool]:
    return bool(flags & ABANDONED), bool(flags & SIDE), bool(flags & ECHO), bool(flags & ERROR)


def copy_of(role: Speaker, text: bytes) -> int:
    """64 bits that are equal for passages of equal role and equal text (masked, in UTF-8)."""
    digest = blake2b(text, digest_size=8, person=role.encode())
    return int.from_bytes(digest.digest(), "little")


def packed(header: Header, texts: bytes) -> bytes:
    """A frame as bytes."""
    import zstandard

    compressor = zstandard.ZstdCompressor(level=LEVEL)
    origin = asdict(header.origin)
    said = _dumps(
        {
            "commit": header.commit,
            "first": header.first,
            "whole": header.whole,
            "instead": header.instead,
            "origin": origin,
            # Of named tuples orjson knows nothing.
            "kept": [*map(tuple, header.kept)],
        }
    )
    parts = compressor.compress(said), compressor.compress(texts)
    checksum = zlib.crc32(parts[1], zlib.crc32(parts[0]))
    prefix = PREFIX.pack(MAGIC, len(parts[0]), len(parts[1]), len(said), len(texts), checksum)
    return prefix + parts[0] + parts[1]


def length(prefix: bytes, where: str) -> int:
    """How many bytes a frame takes in all, as the first `PREFIX.size` bytes of it say.

    Raises:
        FrameDamaged: no frame begins there.
    """
    if len(prefix) < PREFIX.size or not prefix.startswith(MAGIC):
        raise FrameDamaged(f"No frame begins at {where}.")
    _, head, texts, plain_head, plain_texts, _ = PREFIX.unpack(prefix[: PREFIX.size])
    if max(head, texts, plain_head, plain_texts) > MOST_BYTES:
        raise FrameDamaged(f"The frame at {where} has a size that cannot be.")
    return int(PREFIX.size + head + texts)


def unpacked(data: bytes, where: str) -> Frame:
    """The frame that these bytes are.

    Raises:
        FrameDamaged: they are none, or damaged.
    """
    import zstandard

    middle = check(data, where)
    try:
        unpacker = zstandard.ZstdDecompressor()
        header = _header(unpacker.decompress(data[PREFIX.size : middle]))
        return Frame(*header, unpacker.decompress(data[middle:]))
    except (zstandard.ZstdError, ValueError, TypeError, KeyError) as error:
        raise FrameDamaged(f"The frame at {where} cannot be read ({error}).") from error


def texts_of(data: bytes, where: str) -> bytes:
    """The texts of the frame that these bytes are, one behind the other.

    Raises:
        FrameDamaged: they are none, or damaged.
    """
    import zstandard

    middle = check(data, where)
    try:
        return bytes(zstandard.ZstdDecompressor().decompress(data[middle:]))
    except zstandard.ZstdError as error:
        raise FrameDamaged(f"The frame at {where} cannot be read ({error}).") from error


def header_of(data: bytes, where: str) -> Header:
    """What the frame that these bytes are says before its texts.

    Raises:
        FrameDamaged: they are none, or damaged.
    """
    import zstandard

    middle = check(data, where)
    try:
        return Header(*_header(zstandard.ZstdDecompressor().decompress(data[PREFIX.size : middle])))
    except (zstandard.ZstdError, ValueError, TypeError, KeyError) as error:
        raise FrameDamaged(f"The frame at {where} cannot be read ({error}).") from error


def check(data: bytes, where: str) -> int:
    """Look whether these bytes are a frame as it was written; returns where its packed texts begin.

    Raises:
        FrameDamaged: they are none, or damaged.
    """
    if length(data, where) != len(data):
        raise FrameDamaged(f"The frame at {where} is cut short.")
    _, size, _, _, _, checksum = PREFIX.unpack_from(data)
    if zlib.crc32(memoryview(data)[PREFIX.size :]) != checksum:
        raise FrameDamaged(f"The frame at {where} is damaged: its checksum differs.")
    return PREFIX.size + int(size)


def _header(said: bytes) -> tuple[int, int, bool, list[int], Origin, list[Kept]]:
    value = _loads(said)
    kept = [*map(Kept._make, value["kept"])]
    if not {one.role for one in kept} <= set(SPEAKERS):
        raise ValueError("it names a role that is none")
    commit, first, whole, instead = (value[name] for name in ("commit", "first", "whole", "instead"))
    return commit, first, whole, instead, Origin(**value["origin"]), kept


def _loads(said: bytes) -> Any:
    try:
        return orjson.loads(said)
    except orjson.JSONDecodeError:
        # Lone surrogates.
        return json.loads(said)


def _dumps(value: Any) -> bytes:
    try:
        return orjson.dumps(value)
    except TypeError:
        # Lone surrogates, in a path or an id: only as escapes are they JSON.
        return json.dumps(value, separators=(",", ":")).encode()
