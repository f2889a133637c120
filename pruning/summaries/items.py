"""What a model is asked to summarise: the outputs that a prune is about to replace, with what led to them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from prune_mcp.pruning.decision import Candidate
from prune_mcp.pruning.digest import reads
from prune_mcp.pruning.situation import Situation
from prune_mcp.pruning.summaries.question import ARGUMENTS_MOST, SAID_MOST, Item, Part
from prune_mcp.sessions.model import Block, Message

# A digest tells a shorter output as shortly as a model can.
LEAST_CHARS = 400


def output_items(situation: Situation, batch: Sequence[Candidate]) -> list[Item]:
    """The outputs of a batch that are long enough to be summarised."""
    worth = [candidate for candidate in batch if candidate.output.chars >= LEAST_CHARS]
    task = _task(situation, worth[0].exchange) if worth else None
    return [_item(situation, candidate, task) for candidate in worth]


def _item(situation: Situation, candidate: Candidate, task: Part | None) -> Item:
    output = candidate.output
    call = situation.pairing.call_of[candidate.block.place]
    strict = not output.error and reads(output.tool, output.key)
    parts = [
        *_parts(situation, "Before the call the agent said", _said_before(situation, candidate.index, call)),
        _part(situation, "Arguments", call, ARGUMENTS_MOST),
        Part(
            _result(candidate), output.chars, lambda: situation.conversation.text(candidate.block), strict=strict
        ),
    ]
    return Item(output.tool, output.ref, tuple(parts), output.chars, frozenset((output.ref,)), task)


def _task(situation: Situation, exchange: int) -> Part | None:
    """What the person asked in the exchange that an output belongs to."""
    if exchange < 0:
        return None
    asked = _texts(situation.conversation.messages[situation.exchanges[exchange].start])
    return next(_parts(situation, "The person asked", asked), None)


def _said_before(situation: Situation, index: int, call: Block) -> Sequence[Block]:
    """The texts of the message that makes the call, if this is its first call."""
    messages = situation.conversation.messages
    for at in range(index - 1, -1, -1):
        calls = messages[at].calls
        if any(each.place == call.place for each in calls):
            return _texts(messages[at]) if calls[0].place == call.place else ()
    return ()


def _texts(message: Message) -> list[Block]:
    return [block for block in message.blocks if block.kind == "text" and block.chars]


def _parts(situation: Situation, what: str, blocks: Sequence[Block]) -> Iterator[Part]:
    yield from (_part(situation, what, block, SAID_MOST) for block in blocks[-1:])


def _part(situation: Situation, what: str, block: Block, most: int) -> Part:
    return Part(what, block.chars, lambda: situation.conversation.text(block), most)


def _result(candidate: Candidate) -> str:
    """What a result is, in words."""
    output = candidate.output
    facts = ["error" if output.error else "ok"]
    if output.images:
        facts.append(f"with {output.images} image{'s' if output.images > 1 else ''}, not shown to you")
    return f"Result ({', '.join(facts)})"
