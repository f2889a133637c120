"""An independent count of what Anthropic messages weigh, in tokens as the docs define the estimate."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

IMAGE = 1600


def tokens(text: str) -> int:
    """One for 3.2 of the UTF-8 bytes, rounded up."""
    return -(-10 * len(text.encode("utf-8", "surrogatepass")) // 32)


def weight(messages: Iterable[dict[str, Any]]) -> int:
    """What messages weigh, block by block."""
    return sum(_content(message["content"]) for message in messages)


def transcript_weight(entries: Iterable[dict[str, Any]]) -> int:
    """What the messages of a Claude Code transcript weigh."""
    return weight(entry["message"] for entry in entries if "message" in entry)


def _content(content: Any) -> int:
    return tokens(content) if isinstance(content, str) else sum(map(_block, content))


def _block(block: dict[str, Any]) -> int:
    kind = block["type"]
    if kind == "text":
        return tokens(block["text"])
    if kind == "thinking":
        return tokens(block["thinking"])
    if kind == "tool_use":
        return tokens(block["name"] + json.dumps(block["input"], separators=(",", ":"), ensure_ascii=False))
    return _result(block["content"])


def _result(content: Any) -> int:
    if isinstance(content, str):
        return tokens(content)
    pictures: int = sum(part["type"] == "image" for part in content)
    texts = [part["text"] for part in content if part["type"] == "text"]
    return tokens("\n".join(texts)) + IMAGE * pictures
