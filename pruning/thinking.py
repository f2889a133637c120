"""Signed thinking: bound to its exact prefix, so that what stands before it decides whether it may stay."""

from __future__ import annotations

from typing import NamedTuple

from prune_mcp.pruning.exchanges import Exchange
from prune_mcp.pruning.situation import Situation
from prune_mcp.sessions.model import Block
from prune_mcp.sessions.view import View


class Position(NamedTuple):
    """Where a block stands in the conversation: its message's index, and its own in that message."""

    message: int
    block: int


NOWHERE = Position(-1, -1)


def barrier(situation: Situation) -> Position:
    """The last signed thinking of the open exchange, before which nothing may be edited, or NOWHERE.

    The setting `thinking` lifts it (`strip`, `ignore`), and so does an orphan that stands before it: such a
    conversation cannot be sent as it is, and the thinking goes instead.
    """
    if situation.options.thinking != "keep" or not situation.exchanges or not situation.exchanges[-1].open:
        return NOWHERE
    last = _last_signed(situation, situation.exchanges[-1])
    orphans = [*situation.pairing.calls, *situation.pairing.results]
    positions = (position_of(situation, index, block) for index, block in orphans)
    return NOWHERE if any(position < last for position in positions) else last


def _last_signed(situation: Situation, exchange: Exchange) -> Position:
    for index in range(exchange.stop - 1, exchange.start, -1):
        blocks = situation.conversation.messages[index].blocks
        for number in range(len(blocks) - 1, -1, -1):
            if blocks[number].signed:
                return Position(index, number)
    return NOWHERE


def position_of(situation: Situation, index: int, block: Block) -> Position:
    """The position of a block of message `index`."""
    return Position(index, situation.conversation.messages[index].blocks.index(block))


def strip(situation: Situation, view: View, first_edit: int) -> None:
    """Take out the signed thinking that an edit at message `first_edit` makes invalid.

    In the exchange of the edit all of it goes, since what is said of it stands right after the prompt.
    """
    if situation.options.thinking == "ignore":
        return
    start = next((e.start for e in situation.exchanges if e.start <= first_edit < e.stop), first_edit)
    bar = barrier(situation)
    for index in range(start, len(situation.conversation.messages)):
        if index not in view.dropped and index > bar.message:
            blocks = situation.conversation.messages[index].blocks
            view.stripped.update(block.place for block in blocks if block.signed)


def left_out(situation: Situation, view: View, compressed: set[int]) -> dict[int, list[Block]]:
    """The thinking that the view leaves out, by the prompt of its exchange; exchanges in `compressed` (their
    prompts) keep theirs in the document of their block. Thinking without text is nothing to keep."""
    found: dict[int, list[Block]] = {}
    for exchange in situation.exchanges:
        if exchange.start in compressed:
            continue
        for message in situation.conversation.messages[exchange.start : exchange.stop]:
            blocks = [b for b in message.blocks if b.kind == "thinking" and b.size and b.place in view.stripped]
            if blocks:
                found.setdefault(exchange.start, []).extend(blocks)
    return found
