"""Text to bytes and back, exactly: UTF-8 with lone surrogates passed through."""

from __future__ import annotations

import hashlib


def encode(text: str) -> bytes:
    """The bytes the store keeps for a text."""
    return text.encode("utf-8", "surrogatepass")


def decode(data: bytes) -> str:
    """The text of kept bytes."""
    return data.decode("utf-8", "surrogatepass")


def digest(data: bytes) -> str:
    """The name of a body: the hex sha256 of its bytes."""
    return hashlib.sha256(data).hexdigest()
