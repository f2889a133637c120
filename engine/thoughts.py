"""Thinking that a view leaves out: kept in a document of its own, with a ref after the exchange's prompt."""

from __future__ import annotations

from dataclasses import replace

from prune_mcp.engine.document import Segment, write_document
from prune_mcp.engine.memory import Memory, draft_record
from prune_mcp.pruning.render import Rendered, add_thoughts
from prune_mcp.pruning.situation import Situation
from prune_mcp.sessions.model import Block
from prune_mcp.storage.protocol import Store
from prune_mcp.storage.records import ChainBlock


def keep_thoughts(store: Store, situation: Situation, memory: Memory, rendered: Rendered) -> Situation:
    """Keep the thinking that no block holds yet, and show the ref in the view; the situation with these blocks."""
    missing = {
        start: blocks for start, blocks in rendered.thoughts.items() if start not in rendered.resolved.thoughts
    }
    if not missing or not rendered.view:
        return situation
    messages = situation.conversation.messages
    session = situation.conversation.session
    kept = []
    with store.write() as writer:
        record = writer.session(draft_record(situation.conversation))
        for offset, (start, blocks) in enumerate(missing.items()):
            number = record.next_block + offset
            body = writer.body(_document(situation, blocks))
            block = ChainBlock(number, "thinking", messages[start].id, "", _text(number, blocks), body)
            kept.append(writer.block(session, block))
    for start, block in zip(missing, kept, strict=True):
        add_thoughts(rendered.view, start, block)
        rendered.resolved.thoughts[start] = block
    memory.blocks.extend(kept)
    memory.record = replace(memory.record, next_block=record.next_block + len(kept))
    return replace(situation, blocks=[*situation.blocks, *kept])


def _text(number: int, blocks: list[Block]) -> str:
    chars = sum(block.chars for block in blocks)
    parts = "1 part" if len(blocks) == 1 else f"{len(blocks)} parts"
    said = f"thinking of this exchange left out: {parts}, {chars} chars"
    return f'<compressed-chain id="b{number}" tools="">{said}</compressed-chain>'


def _document(situation: Situation, blocks: list[Block]) -> bytes:
    entries = situation.conversation.entries
    text = situation.conversation.text
    return write_document(
        [Segment("thinking", entries[block.place.entry].id, text=text(block)) for block in blocks]
    )
