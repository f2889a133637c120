"""Signed thinking: bound to its exact prefix, so that what stands before it decides whether it may stay."""

from __future__ import annotations

from prune_mcp.pruning.situation import Situation
from prune_mcp.sessions.model import Block
from prune_mcp.sessions.view import View


def barrier(situation: Situation) -> int:
    """The message index at and before which nothing may be edited: the last signed thinking of the open
    exchange, or -1. The setting `thinking` lifts it (`strip`, `ignore`)."""
    if situation.options.thinking != "keep" or not situation.exchanges or not situation.exchanges[-1].open:
        return -1
    exchange = situation.exchanges[-1]
    for index in range(exchange.stop - 1, exchange.start, -1):
        if any(block.signed for block in situation.conversation.messages[index].blocks):
            return index
    return -1


def strip(situation: Situation, view: View, first_edit: int) -> None:
    """Take out the signed thinking that an edit at message `first_edit` makes invalid.

    In the exchange of the edit all of it goes, since what is said of it stands right after the prompt.
    """
    if situation.options.thinking == "ignore":
        return
    start = next((e.start for e in situation.exchanges if e.start <= first_edit < e.stop), first_edit)
    bar = barrier(situation)
    for index in range(start, len(situation.conversation.messages)):
        if index not in view.dropped and index > bar:
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
