"""A span of messages on its way into a block: its text for the view, and its document for recovery."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import cached_property

from prune_mcp.engine.prune.document import Segment
from prune_mcp.pruning.blocktext import Piece, block_text
from prune_mcp.pruning.chains import Span
from prune_mcp.pruning.names import Seen
from prune_mcp.pruning.note import bare
from prune_mcp.pruning.orphans import noted_refs
from prune_mcp.pruning.situation import Situation
from prune_mcp.pruning.summaries.text import summary_of
from prune_mcp.sessions.model import Block
from prune_mcp.storage.codec import decode
from prune_mcp.storage.errors import BodyDamaged
from prune_mcp.storage.protocol import Store
from prune_mcp.storage.records import Output


def span_text(situation: Situation, span: Span, number: int, seen: Seen, fused: str = "") -> tuple[str, list[int]]:
    """The text of block `number` for the view, and the refs of its outputs; names in `seen` are left out.
    `fused` stands for the summaries of all its outputs."""
    pieces = [
        piece
        for index in span.dropped
        for block in situation.conversation.messages[index].blocks
        if (piece := _piece(situation, block)) is not None
    ]
    return block_text(number, pieces, seen, fused), [piece.ref for piece in pieces if piece.kind == "result"]


def _piece(situation: Situation, block: Block) -> Piece | None:
    def said() -> str:
        return situation.conversation.text(block)

    if block.kind == "text":
        return Piece("text", said)
    if block.kind == "call":
        output = situation.outputs[situation.pairing.result_of[block.place]]
        return Piece("call", said, output.ref, output.tool, output.key)
    return _result(situation, block, said) if block.kind == "result" else None


def _result(situation: Situation, block: Block, said: Callable[[], str]) -> Piece:
    output = situation.outputs[block.place]
    stub = bare(output.stub)
    protected = not stub and situation.protected(block) is not None
    read = (lambda: stub) if stub else said
    return Piece(
        "result",
        read,
        output.ref,
        output.tool,
        output.key,
        output.error,
        protected,
        bool(stub),
        summary_of(output),
    )


class Kept:
    """What the store keeps of a session beside its outputs' texts, read when it is asked for."""

    def __init__(self, store: Store, session: str) -> None:
        self._store = store
        self._session = session

    @cached_property
    def _facets(self) -> dict[tuple[int, str], str]:
        return self._store.facets(self._session)

    def arguments(self, ref: int) -> str | None:
        """The whole arguments of a call that a view has shown without, or None."""
        sha = self._facets.get((ref, "args"))
        if sha is None:
            return None
        try:
            return decode(self._store.body(sha))
        except BodyDamaged:
            # Recovering the ref tells of the damage; it must not keep the rest from being pruned.
            return None


def replaced(situation: Situation, span: Span, outputs: Mapping[int, Output], kept: Kept) -> list[Segment]:
    """Everything that the block will replace, and the thinking of the answers that stay in the span.

    `outputs`: those of the session by number. Where a replaced text is a note for an orphan, what the note
    stands for comes along; of purged calls it is the whole arguments.
    """
    messages = situation.conversation.messages
    segments: list[Segment] = []
    for block in span.blocks(messages):
        segment = _segment(situation, block, kept)
        segments.append(segment)
        if block.kind == "text":
            segments += _noted(segment, outputs, kept)
    thoughts = (b for index in span.answers for b in messages[index].blocks if b.kind == "thinking" and b.size)
    return segments + [_segment(situation, block, kept) for block in thoughts]


def _noted(said: Segment, outputs: Mapping[int, Output], kept: Kept) -> Iterator[Segment]:
    for ref in noted_refs(said.text or "", outputs):
        number, _, facet = ref.removeprefix("t").partition(":")
        output = outputs[int(number)]
        if facet:
            yield Segment("call", said.entry, output.ref, output.tool, kept.arguments(output.ref))
        else:
            yield Segment("result", said.entry, output.ref, output.tool)


def _segment(situation: Situation, block: Block, kept: Kept) -> Segment:
    conversation = situation.conversation
    entry = conversation.entries[block.place.entry].id
    if block.kind == "result":
        return Segment("result", entry, situation.outputs[block.place].ref, block.tool)
    text = conversation.text(block)
    if block.kind == "call":
        answer = situation.pairing.result_of.get(block.place)
        if answer is None:
            return Segment("call", entry, None, block.tool, text)
        output = situation.outputs[answer]
        return Segment("call", entry, output.ref, block.tool, kept.arguments(output.ref) or text)
    if block.kind == "thinking":
        return Segment("thinking", entry, text=text)
    return Segment("assistant", entry, text=text)
