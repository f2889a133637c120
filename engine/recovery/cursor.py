"""Opaque cursors: where a cut answer goes on. They carry their whole state, so any process can follow one."""

from __future__ import annotations

import base64
import binascii
import hashlib
import json
import zlib
from typing import Any, Literal

from prune_mcp.engine.answers import EngineError

CursorKind = Literal["refs", "tree"]
CHECK_BYTES = 6
STATE_BYTES = 1_000_000
NOISE = " \t\r\n`'\""


class BadCursor(EngineError):
    """A cursor that is damaged, or belongs to another question."""


def write_cursor(kind: CursorKind, state: dict[str, Any]) -> str:
    """The cursor for a state (a JSON object); the same state gives the same cursor."""
    packed = zlib.compress(json.dumps(state, separators=(",", ":"), sort_keys=True).encode(), 9)
    return f"{kind}-" + base64.urlsafe_b64encode(_check(kind, packed) + packed).rstrip(b"=").decode()


def read_cursor(kind: CursorKind, cursor: str) -> dict[str, Any]:
    """The state that a cursor carries.

    Raises:
        BadCursor: it is damaged, or a cursor of another kind.
    """
    found, _, body = cursor.strip(NOISE).partition("-")
    if found != kind:
        raise BadCursor(_foreign(kind, found))
    try:
        data = base64.b64decode(body + "=" * (-len(body) % 4), altchars=b"-_", validate=True)
    except (binascii.Error, ValueError) as error:
        raise BadCursor(DAMAGED) from error
    check, packed = data[:CHECK_BYTES], data[CHECK_BYTES:]
    if check != _check(kind, packed):
        raise BadCursor(DAMAGED)
    try:
        state = json.loads(zlib.decompressobj().decompress(packed, STATE_BYTES))
    except (zlib.error, ValueError) as error:
        raise BadCursor(DAMAGED) from error
    if not isinstance(state, dict):
        raise BadCursor(DAMAGED)
    return state


def _check(kind: CursorKind, packed: bytes) -> bytes:
    return hashlib.sha256(kind.encode() + b"\0" + packed).digest()[:CHECK_BYTES]


def _foreign(kind: CursorKind, found: str) -> str:
    if (kind, found) == ("refs", "tree"):
        return "This cursor goes on with the tree: give it without refs."
    if (kind, found) == ("tree", "refs"):
        return "This cursor goes on with recovered outputs: give it together with the refs asked for."
    return "This is no cursor of this tool. Copy the one at the end of its last answer, or leave it out."


DAMAGED = (
    "This cursor is damaged: it is not as it was given out. Copy it whole from the end of the last answer, or "
    "leave it out to begin again."
)
