"""A span of messages on its way into a block: its text for the view, and its document for recovery."""

from __future__ import annotations

from collections.abc import Iterator

from prune_mcp.engine.document import Segment, write_document
from prune_mcp.pruning.chains import Span
from prune_mcp.pruning.situation import Situation
from prune_mcp.sessions.model import Block


def document(situation: Situation, span: Span) -> bytes:
    """Everything that the block will replace, and the thinking of the answer that closes the span."""
    segments = [segment for index in span.dropped for segment in _segments(situation, index)]
    if span.kind == "chain":
        final = situation.conversation.messages[span.end]
        segments += [_segment(situation, b) for b in final.blocks if b.kind == "thinking" and b.size]
    return write_document(segments)


def _segments(situation: Situation, index: int) -> Iterator[Segment]:
    for block in situation.conversation.messages[index].blocks:
        yield _segment(situation, block)


def _segment(situation: Situation, block: Block) -> Segment:
    conversation = situation.conversation
    entry = conversation.entries[block.place.entry].id
    if block.kind == "result":
        return Segment("result", entry, situation.outputs[block.place].ref, block.tool)
    text = conversation.text(block)
    if block.kind == "call":
        answered = {call.place: result for result, call in situation.pairing.call_of.items()}
        return Segment("call", entry, situation.outputs[answered[block.place]].ref, block.tool, text)
    if block.kind == "thinking":
        return Segment("thinking", entry, text=text)
    return Segment("assistant", entry, text=text)
