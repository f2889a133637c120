"""What the tree of a session comes to, without its rows: for lists of many sessions."""

from __future__ import annotations

from typing import NamedTuple

from prune_mcp.engine.prune.words import counting, words_of
from prune_mcp.sessions.tokens import text_tokens, tokens
from prune_mcp.storage.errors import BodyDamaged
from prune_mcp.storage.protocol import Store
from prune_mcp.storage.records import ChainBlock, Output


class Totals(NamedTuple):
    """Outputs, those pruned, and estimated tokens saved, as `Forest` has them."""

    outputs: int
    pruned: int
    saved: int


def totals(store: Store, session: str) -> Totals:
    """The totals of a session.

    Raises:
        StoreError: the store cannot be read.
    """
    outputs = {output.ref: output for output in store.outputs(session)}
    blocks = {block.number: block for block in store.blocks(session)}
    covered = {ref for block in blocks.values() for ref in block.refs}
    pruned = [output for output in outputs.values() if output.ref in covered or output.state != "whole"]
    saved = sum(_weight(output) - text_tokens(output.stub) for output in pruned if output.ref not in covered)
    inner = {number for block in blocks.values() for number in block.blocks if number != block.number}
    for block in counting(blocks.values()):
        if block.number not in inner:
            saved += _replaced(store, outputs, blocks, block, set()) - text_tokens(block.text)
    return Totals(len(outputs), len(pruned), saved)


def _replaced(
    store: Store, outputs: dict[int, Output], blocks: dict[int, ChainBlock], block: ChainBlock, seen: set[int]
) -> int:
    """The tokens of what a block replaced, with those of the blocks in it."""
    seen.add(block.number)
    inside = [blocks[number] for number in block.blocks if number in blocks and number not in seen]
    elsewhere = {ref for each in inside for ref in each.refs}
    whole = sum(_weight(outputs[ref]) for ref in block.refs if ref in outputs and ref not in elsewhere)
    whole += _words(store, blocks, block)
    return whole + sum(_replaced(store, outputs, blocks, each, seen) for each in inside)


def _words(store: Store, blocks: dict[int, ChainBlock], block: ChainBlock) -> int:
    if block.words >= 0:
        return block.words
    try:
        return words_of(store, blocks, block)
    except BodyDamaged:
        return 0


def _weight(output: Output) -> int:
    return tokens(output.size, output.images)
