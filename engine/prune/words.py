"""The words of a block: what it replaced beside outputs, as its document keeps them, in estimated tokens."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

from prune_mcp.engine.prune.document import Segment, load_document
from prune_mcp.sessions.tokens import tokens, utf8_size
from prune_mcp.storage.protocol import Store
from prune_mcp.storage.records import ChainBlock

# What a block's document keeps.
Load = Callable[[ChainBlock], list[Segment]]


def words(segments: Iterable[Segment]) -> int:
    """The tokens of what these segments say beside outputs."""
    return sum(_weight(segment, segment.text) for segment in segments if segment.text)


def words_of(store: Store, blocks: Mapping[int, ChainBlock], block: ChainBlock) -> int:
    """The same of a block, out of the store, beside what the blocks say that it took in.

    Raises:
        BodyDamaged: one of the documents is damaged.
    """
    return words(own_segments(lambda each: load_document(store.body(each.document)), blocks, block))


def counting(blocks: Iterable[ChainBlock]) -> list[ChainBlock]:
    """The blocks that count: of those for one exchange's thinking the newest, and none once a chain's has it."""
    kept: list[ChainBlock] = []
    thinking: dict[str, ChainBlock] = {}
    for block in blocks:
        if block.kind == "thinking":
            thinking[block.start] = block
        else:
            kept.append(block)
    for block in kept:
        if block.kind == "chain":
            thinking.pop(block.start, None)
    return [*kept, *thinking.values()]


def own_segments(load: Load, blocks: Mapping[int, ChainBlock], block: ChainBlock) -> list[Segment]:
    """The segments of a block's document that no block says that it took in."""
    known = {segment for each in _inner(blocks, block) for segment in load(each)}
    return [segment for segment in load(block) if segment not in known]


def _weight(segment: Segment, text: str) -> int:
    """The tokens of a segment's text; a call weighs its name too."""
    named = segment.tool if segment.kind == "call" else ""
    return tokens(utf8_size(text) + utf8_size(named))


def _inner(blocks: Mapping[int, ChainBlock], block: ChainBlock) -> list[ChainBlock]:
    """The blocks that a block took in, at any depth, each once."""
    found: dict[int, ChainBlock] = {block.number: block}
    waiting = list(block.blocks)
    while waiting:
        each = blocks.get(waiting.pop())
        if each is not None and each.number not in found:
            found[each.number] = each
            waiting += each.blocks
    return [each for number, each in found.items() if number != block.number]
