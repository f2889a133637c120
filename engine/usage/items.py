"""The pieces of a context that cost most, with what brings each of them back."""

from __future__ import annotations

from collections.abc import Iterable
from heapq import nlargest

from prune_mcp.engine.masked import masked
from prune_mcp.engine.recovery.fence import inline
from prune_mcp.engine.usage.answer import Item
from prune_mcp.engine.usage.slices import Slice, tool_of
from prune_mcp.pruning.situation import Situation
from prune_mcp.pruning.stub import KEY_LONGEST, key_argument
from prune_mcp.search.entries.entry_ref import EntryRef, short
from prune_mcp.sessions.model import Block
from prune_mcp.sessions.tokens import tokens

# Items told of.
COSTLIEST = 10


def costliest(situation: Situation, slices: Iterable[Slice], *, refs: bool = True) -> list[Item]:
    """The blocks that cost most, whole, the largest first. `refs`: whether outputs are named by their refs."""
    blocks = {one.block.place: (one.block, one.category) for one in slices if one.block is not None}
    found = nlargest(COSTLIEST, blocks.values(), key=lambda found: _weight(found[0]))
    return [_item(situation, block, category, refs) for block, category in found]


def _weight(block: Block) -> int:
    return tokens(block.size, block.images)


def _item(situation: Situation, block: Block, category: str, refs: bool) -> Item:
    tool = tool_of(situation, block) if block.kind in ("call", "result") else ""
    return Item(_ref(situation, block, refs), category, tool, _key(situation, block), _weight(block))


def _ref(situation: Situation, block: Block, refs: bool) -> str:
    """What brings a block back: its output's ref, the entry it stands in, or its place in the array."""
    output = situation.outputs.get(block.place) if refs and block.kind == "result" else None
    if output is not None:
        return f"t{output.ref}"
    conversation = situation.conversation
    if not conversation.path:
        return f"messages[{block.place.entry}]"
    parent, slash, agent = conversation.session.partition("/")
    return str(EntryRef(short(conversation.entries[block.place.entry].id), short(parent) + slash + agent))


def _key(situation: Situation, block: Block) -> str:
    """What tells a block from others in few words."""
    if block.kind == "result" and (output := situation.outputs.get(block.place)):
        return masked(output.key)
    if block.kind == "call":
        return masked(key_argument(block.tool, situation.conversation.arguments(block)))
    return inline(masked(situation.conversation.text(block)[:1000].strip()), KEY_LONGEST)
