"""The calls of exchanges as steps of what was done, each with its result wherever that stands."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from prune_mcp.pruning.activity import Step
from prune_mcp.pruning.exchanges import Exchange
from prune_mcp.pruning.note import bare
from prune_mcp.pruning.situation import Situation
from prune_mcp.sessions.model import Block, Place


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
            yield from (_step(situation, call, results) for call in message.calls)


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
    )


def _said(situation: Situation, result: Block) -> str:
    """What a result says; where a stub of ours stands for it, what that still says."""
    text = situation.conversation.text(result)
    output = situation.outputs.get(result.place)
    shown = output is not None and bool(output.stub) and text == output.stub
    return bare(text).partition("\n")[2] if shown else text
