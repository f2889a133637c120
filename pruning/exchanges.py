"""Exchanges and turns: how the messages of a conversation belong together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from prune_mcp.sessions.model import Message


@dataclass(slots=True)
class Exchange:
    """A prompt up to the next one: message indexes `start` (the prompt) to `stop` (exclusive).

    `final` is the text-only answer that closes it (a closed chain), or None while it is open or when the
    next prompt interrupted it; `last` marks the newest exchange.
    """

    start: int
    stop: int
    final: int | None
    last: bool = False

    @property
    def open(self) -> bool:
        """Whether the work of this exchange may still go on."""
        return self.last and self.final is None


def exchanges(messages: Sequence[Message], ours: frozenset[int] | set[int] = frozenset()) -> list[Exchange]:
    """The exchanges in order; messages in `ours` are our own insertions and open none.

    What stands before the first prompt belongs to no exchange.
    """
    starts = [i for i, message in enumerate(messages) if message.prompt and i not in ours]
    stops = [*starts[1:], len(messages)][: len(starts)]
    spans = zip(starts, stops, strict=True)
    found = [Exchange(start, stop, _final(messages, start, stop)) for start, stop in spans]
    if found:
        found[-1].last = True
    return found


def _final(messages: Sequence[Message], start: int, stop: int) -> int | None:
    for index in range(stop - 1, start, -1):
        message = messages[index]
        if message.role == "assistant":
            texts = any(block.kind == "text" for block in message.blocks)
            calls = any(block.kind == "call" for block in message.blocks)
            return index if texts and not calls else None
        if any(block.kind == "result" for block in message.blocks):
            return None
    return None


def turn_ages(messages: Sequence[Message]) -> list[int]:
    """For each message, how many turns with tool calls began after its own turn (0: the newest such turn)."""
    ages = [0] * len(messages)
    later = 0
    for index in range(len(messages) - 1, -1, -1):
        ages[index] = later
        if messages[index].role == "assistant" and any(b.kind == "call" for b in messages[index].blocks):
            later += 1
    return ages


def answer_ages(messages: Sequence[Message]) -> list[int]:
    """For each message, how many assistant messages stand after it."""
    ages = [0] * len(messages)
    later = 0
    for index in range(len(messages) - 1, -1, -1):
        ages[index] = later
        later += messages[index].role == "assistant"
    return ages


def prompt_ages(messages: Sequence[Message], ours: frozenset[int] | set[int] = frozenset()) -> list[int]:
    """For each message, how many prompts stand after it."""
    ages = [0] * len(messages)
    later = 0
    for index in range(len(messages) - 1, -1, -1):
        ages[index] = later
        later += messages[index].prompt and index not in ours
    return ages
