"""How much a context holds, counted without the product: by the raw parts of arrays, by the texts of sessions."""

from __future__ import annotations

import json
import re
from base64 import b64decode
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from math import ceil
from typing import Any

from prune_mcp.engine.usage.answer import UsageAnswer
from prune_mcp.sessions.model import Block, Conversation, Message

IMAGE = 1600
PAGE = 2250
# What Claude takes for a call beside its text.
CALL = 65


def size(text: str) -> int:
    """The tokens of a text: one for 3.2 of its bytes, a part of one for one."""
    return ceil(Fraction(10 * len(text.encode("utf-8", "surrogatepass")), 32))


def of_session(conversation: Conversation) -> int:
    """The tokens of all messages of a session, from their texts."""
    return sum(of_message(conversation, message) for message in conversation.messages)


def of_message(conversation: Conversation, message: Message) -> int:
    """The tokens of one message."""
    return sum(of_block(conversation, block) for block in message.blocks)


def of_block(conversation: Conversation, block: Block) -> int:
    """The tokens of one block, images included."""
    text = conversation.text(block)
    if block.kind == "other":
        return _document(text)
    return size((block.tool if block.kind == "call" else "") + text) + IMAGE * block.images


def _document(text: str) -> int:
    """The tokens of a part that may hold a PDF: its pages, and what stands around its base64."""
    pdf = re.search(r"JVBERi0[\w+/]*=*", text)
    if pdf is None:
        return size(text)
    pages = re.findall(rb"/Type */Page\b", b64decode(pdf[0]))
    return size(text.replace(pdf[0], "x" * int(3.2 * PAGE) * len(pages)))


def of_array(array: list[dict[str, Any]], format: str) -> Counter[str]:
    """The tokens of an array by category; what person and host said under the same role is one."""
    found: Counter[str] = Counter()
    for entry in array:
        for category, tokens in WALKS[format](entry):
            found[category] += tokens
    return +found


def assert_sums(answer: UsageAnswer) -> None:
    """Whatever is told adds up."""
    assert sum(row.tokens for row in answer.rows) == answer.total
    assert [row.tokens for row in answer.rows] == sorted((row.tokens for row in answer.rows), reverse=True)
    for row in answer.rows:
        assert not row.parts or sum(part.tokens for part in row.parts) + row.more_tokens == row.tokens
        assert [part.tokens for part in row.parts] == sorted((part.tokens for part in row.parts), reverse=True)
        assert len(row.parts) <= 30
    if answer.free is not None:
        assert answer.total + answer.free == answer.window
    if answer.counted and not answer.counted.above:
        assert answer.counted.prompt + answer.counted.output + answer.counted.since == answer.total


def _anthropic(entry: dict[str, Any]) -> Iterator[tuple[str, int]]:
    role = "assistant" if entry["role"] == "assistant" else "user"
    for part in _parts(entry.get("content")):
        kind = part.get("type")
        if kind == "tool_use":
            yield (
                "calls",
                size(part["name"] + json.dumps(part["input"], ensure_ascii=False, separators=(",", ":"))),
            )
        elif kind == "tool_result":
            yield from _result(part.get("content"))
        elif kind in ("thinking", "redacted_thinking"):
            yield "thinking", size(part.get("thinking") or part.get("data") or "")
        else:
            yield ("images", IMAGE) if kind == "image" else (role, size(part["text"]))


def _chat(entry: dict[str, Any]) -> Iterator[tuple[str, int]]:
    role = entry["role"]
    if role == "tool":
        yield from _result(entry.get("content"))
        return
    if "reasoning_content" in entry:
        yield "thinking", size(entry["reasoning_content"])
    for part in _parts(entry.get("content")):
        yield ("images", IMAGE) if part["type"] == "image_url" else (role, size(part["text"]))
    for call in entry.get("tool_calls", ()):
        yield "calls", size(call["function"]["name"] + call["function"]["arguments"])


def _responses(entry: dict[str, Any]) -> Iterator[tuple[str, int]]:
    kind = entry["type"]
    if kind == "function_call":
        yield "calls", size(entry["name"] + entry["arguments"])
    elif kind == "function_call_output":
        yield from _result(entry.get("output"))
    elif kind == "reasoning":
        said = "\n".join(part["text"] for part in entry["summary"])
        yield "thinking", size(said or entry["encrypted_content"])
    else:
        for part in _parts(entry.get("content")):
            yield ("images", IMAGE) if part["type"] == "input_image" else (entry["role"], size(part["text"]))


def _result(content: Any) -> Iterator[tuple[str, int]]:
    parts = _parts(content)
    texts = [part["text"] for part in parts if "text" in part]
    yield "results", size("\n".join(texts))
    yield "images", IMAGE * (len(parts) - len(texts))


def _parts(content: Any) -> list[dict[str, Any]]:
    if isinstance(content, str):
        return [{"type": "text", "text": content}]
    return content or []


WALKS = {"anthropic": _anthropic, "openai-chat": _chat, "openai-responses": _responses}
