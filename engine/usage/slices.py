"""The context in slices: every block of every message, each token under exactly one category and name."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import NamedTuple

from prune_mcp.engine.usage.speakers import OTHER, Speakers, kind_of
from prune_mcp.pruning.situation import Situation
from prune_mcp.sessions.model import Block, Message
from prune_mcp.sessions.tokens import tokens

# Every category with how it is called, in no order: rows stand by their weight.
LABELS = {
    "system": "system prompt",
    "tools": "tool definitions",
    "untold": "system prompt, tools (unlisted)",
    "missed": "rest of the provider's count",
    "user": "user text",
    "host": "host's text, attachments",
    "assistant": "assistant text",
    "thinking": "thinking",
    "calls": "tool calls",
    "framing": "marks around tool calls",
    "results": "tool results",
    "images": "images",
    "summaries": "summaries",
    "other": "other parts",
}
_TYPE = re.compile(r'\{"type":"([\w-]{1,40})"')
# Names of slices whose category has no parts that differ.
ALL = ""
PRUNED = "pruned before"


class Slice(NamedTuple):
    """Tokens of one block of a message (by its index), or of what stands beside all messages (-1, no block)."""

    category: str
    name: str
    tokens: int
    message: int = -1
    block: Block | None = None


def slices(situation: Situation) -> Iterator[Slice]:
    """The slices of all messages in order; those of one block add up to its estimate."""
    speakers = Speakers(situation.conversation)
    for index, message in enumerate(situation.conversation.messages):
        for block in message.blocks:
            category, name = _of_block(situation, message, block)
            if block.images:
                images = tokens(0, block.images)
                yield Slice("images", name or message.role, images, index, block)
            text = tokens(block.size)
            if category == "user":
                yield from _by_speaker(speakers, message, block, text, index)
            elif text:
                yield Slice(category, name, text, index, block)


def tool_of(situation: Situation, block: Block) -> str:
    """The tool of a call or result, as far as it is known."""
    call = situation.pairing.call_of.get(block.place) if block.kind == "result" else None
    return (call.tool if call else "") or block.tool or "unknown tool"


def _of_block(situation: Situation, message: Message, block: Block) -> tuple[str, str]:
    """The category and the name of a block's text."""
    if block.kind == "call" or block.kind == "result":
        return f"{block.kind}s", tool_of(situation, block)
    if block.place in situation.ours:
        return "summaries", PRUNED
    if block.kind == "thinking":
        return "thinking", ALL
    if block.kind == "image":
        return "images", message.role
    if message.summary:
        return "summaries", "compaction"
    if block.kind == "other":
        return "other", _type_of(situation.conversation.text(block))
    if message.role == "system":
        return "system", kind_of(situation.conversation.text(block))
    return message.role, ALL


def _type_of(text: str) -> str:
    """What a part of an unusual kind calls itself."""
    found = _TYPE.match(text)
    return found[1] if found else OTHER


def _by_speaker(speakers: Speakers, message: Message, block: Block, text: int, index: int) -> Iterator[Slice]:
    """A text of role `user`, divided between the person and the host as their words in it are long."""
    said = speakers.said(message, block)
    all_said = said.own + said.host
    host = text * said.host // all_said if all_said else 0
    if text > host:
        yield Slice("user", ALL, text - host, index, block)
    if host:
        yield Slice("host", said.kind, host, index, block)
