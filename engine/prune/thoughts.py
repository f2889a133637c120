"""Thinking that a view leaves out: kept in a document of its own, with a ref after the exchange's prompt."""

from __future__ import annotations

from dataclasses import replace

from prune_mcp.engine.memory import Memory, draft_record
from prune_mcp.engine.prune.document import Segment, load_document, write_document
from prune_mcp.engine.prune.words import words
from prune_mcp.pruning.render import Rendered, add_thoughts
from prune_mcp.pruning.situation import Situation
from prune_mcp.sessions.model import Block
from prune_mcp.storage.codec import digest
from prune_mcp.storage.protocol import Store
from prune_mcp.storage.records import ChainBlock


def keep_thoughts(store: Store, situation: Situation, memory: Memory, rendered: Rendered) -> Situation:
    """Keep the thinking that no block holds yet, and show the ref in the view; the situation with these blocks.

    The same thinking left out after the same prompt is the same block, whenever that happens.
    """
    missing = _show_known(situation, memory, rendered)
    kept = _keep(store, situation, memory, rendered, missing) if missing else []
    return replace(situation, blocks=[*situation.blocks, *kept])


def show_thoughts(situation: Situation, memory: Memory, rendered: Rendered, number: int) -> None:
    """Show in the view of a dry run what `keep_thoughts` would; the first block it would keep has this number."""
    for offset, start in enumerate(_show_known(situation, memory, rendered)):
        text = _text(number + offset, rendered.thoughts[start])
        add_thoughts(rendered.view, start, ChainBlock(number + offset, "thinking", "", "", text, ""))


def _show_known(situation: Situation, memory: Memory, rendered: Rendered) -> dict[int, bytes]:
    """Show the blocks that hold the thinking already; the documents of what none holds, by the prompt's index."""
    messages = situation.conversation.messages
    known = {(block.start, block.document): block for block in memory.blocks if block.kind == "thinking"}
    missing: dict[int, bytes] = {}
    for start, blocks in rendered.thoughts.items():
        document = _document(situation, blocks)
        block = known.get((messages[start].id, digest(document)))
        if block is None:
            missing[start] = document
        else:
            add_thoughts(rendered.view, start, block)
    return missing


def _keep(
    store: Store, situation: Situation, memory: Memory, rendered: Rendered, missing: dict[int, bytes]
) -> list[ChainBlock]:
    session = situation.conversation.session
    kept = []
    with store.write() as writer:
        record = writer.session(draft_record(situation.conversation))
        for offset, (start, document) in enumerate(missing.items()):
            number = record.next_block + offset
            text = _text(number, rendered.thoughts[start])
            start_id = situation.conversation.messages[start].id
            draft = ChainBlock(number, "thinking", start_id, "", text, writer.body(document))
            kept.append(writer.block(session, replace(draft, words=words(load_document(document)))))
    for start, block in zip(missing, kept, strict=True):
        add_thoughts(rendered.view, start, block)
    memory.blocks.extend(kept)
    memory.record = replace(memory.record, next_block=record.next_block + len(kept))
    return kept


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
