"""The one token estimator: a quarter of the UTF-8 bytes, and a flat price for an image."""

from __future__ import annotations

IMAGE_TOKENS = 1600
BYTES_PER_TOKEN = 4


def utf8_size(text: str) -> int:
    """The length of `text` in UTF-8 bytes; a lone surrogate counts three."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def tokens(size: int, images: int = 0) -> int:
    """The estimated tokens of `size` UTF-8 bytes and `images` images."""
    return -(-size // BYTES_PER_TOKEN) + IMAGE_TOKENS * images


def text_tokens(text: str) -> int:
    """The estimated tokens of a text."""
    return tokens(utf8_size(text))
