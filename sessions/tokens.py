"""The one token estimator: the UTF-8 bytes by a ratio, and flat prices for an image and a page of a PDF.

`benchmarks/usage_error.py` fits the ratio to what providers counted, and checks it on other sessions.
"""

from __future__ import annotations

IMAGE_TOKENS = 1600
# Claude takes 1,500 to 3,000 for a page, which it sees as a picture beside its text.
PAGE_TOKENS = 2250
# So many tokens in so many bytes: 3.2 bytes for a token.
TOKENS, BYTES = 5, 16


def utf8_size(text: str) -> int:
    """The length of `text` in UTF-8 bytes; a lone surrogate counts three."""
    return len(text) if text.isascii() else len(text.encode("utf-8", "surrogatepass"))


def tokens(size: int, images: int = 0) -> int:
    """The estimated tokens of `size` UTF-8 bytes and `images` images."""
    return -(-size * TOKENS // BYTES) + IMAGE_TOKENS * images


def text_tokens(text: str) -> int:
    """The estimated tokens of a text."""
    return tokens(utf8_size(text))
