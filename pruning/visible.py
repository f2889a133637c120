"""Which names the view says anyway, so that a digest need not say them again."""

from __future__ import annotations

from collections.abc import Collection, Iterable

from prune_mcp.pruning.names import Seen
from prune_mcp.pruning.situation import Situation
from prune_mcp.sessions.model import Block
from prune_mcp.storage.records import ChainBlock, Output


def visible(situation: Situation, without: Collection[int] = (), seen: Seen | None = None, start: int = 0) -> Seen:
    """The names in prompts, answers, call arguments, stubs and outputs that stay whole for good.

    Message indexes in `without` are left out, and so are outputs not yet decided on: they are only whole for
    now. Blocks are counted by `add_blocks`, wherever they stand. `seen` and `start` continue an earlier count
    from that message index on.
    """
    seen = Seen() if seen is None else seen
    conversation = situation.conversation
    for index in range(start, len(conversation.messages)):
        if index not in without:
            for block in conversation.messages[index].blocks:
                if block.place not in situation.ours:
                    seen.add(_shown(situation, block))
    return seen


def add_blocks(seen: Seen, blocks: Iterable[ChainBlock]) -> None:
    """Count what blocks say; those for thinking say nothing of their own."""
    for block in blocks:
        if block.kind != "thinking":
            seen.add(block.text)


def add_stubs(seen: Seen, outputs: Iterable[Output]) -> None:
    """Count what these new stubs say; of a digest only the header is new, since the digest counted the rest."""
    for output in outputs:
        seen.add(output.stub.partition("\n")[0] if output.state == "stub" else output.stub)


def _shown(situation: Situation, block: Block) -> str:
    if block.kind in ("text", "call"):
        return situation.conversation.text(block)
    if block.kind != "result":
        return ""
    output = situation.outputs.get(block.place)
    if output is None:
        return ""
    if output.stub:
        return output.stub
    return situation.conversation.text(block) if output.ref <= situation.frontier else ""
