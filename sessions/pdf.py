"""PDFs in contents, as base64: a provider shows the model their pages, and counts those, not the characters."""

from __future__ import annotations

import re
import zlib
from base64 import b64decode
from collections.abc import Iterator
from typing import Any

from prune_mcp.sessions.content import is_text
from prune_mcp.sessions.tokens import BYTES, PAGE_TOKENS, TOKENS, utf8_size

# How a PDF begins, in base64.
HEAD = "JVBERi0"
_ADDRESS = "data:application/pdf;base64,"
# What a page weighs: as many bytes as text has that takes as many tokens.
PAGE_BYTES = PAGE_TOKENS * BYTES // TOKENS
# Bytes of a PDF that has its pages where they cannot be counted, for each of them, and of a stream taken apart.
_UNSEEN = 50_000
_STREAM_LONGEST = 4_000_000
_PAGE = re.compile(rb"/Type\s*/Page(?![A-Za-z])")
_STREAM = re.compile(rb"/ObjStm.{0,400}?stream\r?\n", re.DOTALL)


def visible_size(value: Any, text: str) -> int:
    """The size of a part's or a content's `text` in UTF-8 bytes, in which each PDF weighs what its pages do."""
    size = utf8_size(text)
    if HEAD in text:
        for address, data in dict(_pdfs(value)).items():
            size += text.count(address) * (pages(data) * PAGE_BYTES - len(address))
    return size


def pages(data: str) -> int:
    """The pages of a PDF given as base64, at least one; by its length where it hides them."""
    try:
        raw = b64decode(data)
    except ValueError:
        return 1
    count = len(_PAGE.findall(raw)) + sum(len(_PAGE.findall(stream)) for stream in _object_streams(raw))
    return count or max(1, len(raw) // _UNSEEN)


def _object_streams(raw: bytes) -> Iterator[bytes]:
    """The streams that newer PDFs pack their objects into, taken apart."""
    for found in _STREAM.finditer(raw):
        try:
            yield zlib.decompressobj().decompress(raw[found.end() :], _STREAM_LONGEST)
        except zlib.error:
            continue


def _pdfs(value: Any) -> Iterator[tuple[str, str]]:
    """The strings in a part or content that are PDFs, with their base64; no text is one."""
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, list):
            waiting += (part for part in each if not isinstance(part, str))
        elif isinstance(each, dict) and not is_text(each):
            for inner in each.values():
                if isinstance(inner, str):
                    data = inner.removeprefix(_ADDRESS)
                    if data.startswith(HEAD):
                        yield inner, data
                else:
                    waiting.append(inner)
