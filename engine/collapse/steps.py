"""The calls of exchanges as steps of what was done, each with its result wherever that stands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

from prune_mcp.pruning.activity.activity import Step
from prune_mcp.pruning.exchanges import Exchange
from prune_mcp.pruning.note import bare
from prune_mcp.pruning.situation import Situation
from prune_mcp.sessions.codex.status import exit_code
from prune_mcp.sessions.model import Block, Format, Place

# Formats in which nothing beside an output says whether its call failed.
SILENT: frozenset[Format] = frozenset({"openai-chat", "openai-responses", "swe-agent"})


def steps(situation: Situation, exchanges: Sequence[Exchange]) -> Iterator[Step]:
    """Every call of these exchanges, in order."""
    messages = situation.conversation.messages
    results: dict[Place, Block] = {}
    for exchange in exchanges:
        # A prompt that was queued may stand between a call and its result.
        for index in range(exchange.start, len(messages)):
            if index >= exchange.stop and all(place in results for place in _awaited(situation, exchange)):
                break
            results.update((block.place, block) for block in messages[index].results)
        for message in messages[exchange.start : exchange.stop]:
            for call in message.calls:
                step = _step(situation, call, results)
                yield step
                yield from _inner(situation, call, results, step.ref)


def said_last(situation: Situation, exchange: Exchange) -> str:
    """The last text of the assistant in an exchange, "" for none."""
    for message in reversed(situation.conversation.messages[exchange.start : exchange.stop]):
        if message.role == "assistant":
            texts = [situation.conversation.text(block) for block in message.blocks if block.kind == "text"]
            if any(texts):
                return "\n".join(filter(None, texts))
    return ""


def _awaited(situation: Situation, exchange: Exchange) -> Iterator[Place]:
    result_of = situation.pairing.result_of
    for message in situation.conversation.messages[exchange.start : exchange.stop]:
        yield from (result_of[call.place] for call in message.calls if call.place in result_of)


def _step(situation: Situation, call: Block, results: dict[Place, Block]) -> Step:
    conversation = situation.conversation
    place = situation.pairing.result_of.get(call.place)
    result = results.get(place) if place else None
    output = situation.outputs.get(place) if place else None
    if result is None:
        return Step(call.tool, conversation.arguments(call), lambda: "", answered=False)
    return Step(
        tool=call.tool,
        arguments=conversation.arguments(call),
        read=lambda: _said(situation, result),
        ref=output.ref if output else 0,
        error=result.error or bool(output and output.error),
        key=output.key if output else "",
        told=conversation.format not in SILENT or exit_code(conversation.text(result)) is not None,
    )


def _inner(situation: Situation, call: Block, results: dict[Place, Block], ref: int) -> Iterator[Step]:
    """The calls that a call made in its turn, as pi records them beside its result."""
    place = situation.pairing.result_of.get(call.place)
    if situation.conversation.format != "pi" or place not in results:
        return
    for made in _dicts(situation.conversation.raw(results[place].place.entry), "message", "nestedCalls", "calls"):
        if isinstance(made.get("name"), str):
            wrong, status = made.get("error"), made.get("status")
            said = partial(str, wrong if isinstance(wrong, str) else "")
            answered = status in ("ok", "error")
            yield Step(made["name"], made.get("arguments"), said, ref, status == "error", answered, inner=True)


def _dicts(value: Any, *keys: str) -> list[dict[str, Any]]:
    """The objects of the list under these keys, none where it is not there."""
    for key in keys:
        value = value.get(key) if isinstance(value, dict) else None
    return [each for each in value if isinstance(each, dict)] if isinstance(value, list) else []


def _said(situation: Situation, result: Block) -> str:
    """What a result says; where a stub of ours stands for it, what that still says."""
    text = situation.conversation.text(result)
    output = situation.outputs.get(result.place)
    shown = output is not None and bool(output.stub) and text == output.stub
    return bare(text).partition("\n")[2] if shown else text
