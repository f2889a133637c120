"""The words of a block: what it replaced beside outputs, as its document keeps them, in estimated tokens."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from prune_mcp.engine.document import Segment, load_document
from prune_mcp.sessions.tokens import tokens, utf8_size
from prune_mcp.storage.protocol import Store
from prune_mcp.storage.records import ChainBlock


def words(segments: Iterable[Segment], counted: Iterable[Segment] = ()) -> int:
    """The tokens of what these segments say beside outputs, without those that are counted already."""
    known = set(counted)
    return sum(_weight(segment, segment.text) for segment in segments if segment.text and segment not in known)


def words_of(store: Store, blocks: Mapping[int, ChainBlock], block: ChainBlock) -> int:
    """The same of a block, out of the store, beside what the blocks say that it took in.

    Raises:
        BodyDamaged: one of the documents is damaged.
    """
    inner = _inner(blocks, block)
    counted = [segment for each in inner for segment in load_document(store.body(each.document))]
    return words(load_document(store.body(block.document)), counted)


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
