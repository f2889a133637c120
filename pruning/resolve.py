"""Where the store's blocks apply in the conversation as it is now; fails closed."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from prune_mcp.pruning.situation import Situation
from prune_mcp.storage.records import ChainBlock, Diagnostic


@dataclass(slots=True)
class Resolved:
    """Blocks that apply: `dropped` message indexes, `inserted` blocks by the message index they follow, and
    what could not be resolved."""

    dropped: set[int] = field(default_factory=set)
    inserted: dict[int, list[ChainBlock]] = field(default_factory=dict)
    diagnostics: list[Diagnostic] = field(default_factory=list)

    def add(self, start: int, dropped: Iterable[int], block: ChainBlock) -> None:
        """Apply a block after message `start`, in place of the messages `dropped`."""
        self.dropped.update(dropped)
        self.inserted.setdefault(start, []).append(block)


def resolve(situation: Situation) -> Resolved:
    """Apply each block whose start and end are there exactly once, and whose span holds nothing it does not
    cover. A block that already stands in the view is left as it is; any other stays raw, with a diagnostic.
    Blocks for thinking apply only where thinking is left out, which the view itself decides."""
    resolved = Resolved()
    index_of = _unique_ids(situation)
    standing = set(situation.ours.values())
    for block in situation.blocks:
        start = index_of.get(block.start)
        if start is not None and block.number not in standing and block.kind != "thinking":
            _apply(situation, block, start, index_of.get(block.end) if block.end else None, resolved)
    return resolved


def _apply(situation: Situation, block: ChainBlock, start: int, end: int | None, resolved: Resolved) -> None:
    if end is None or end <= start:
        _refuse(resolved, block, "its end is not in the conversation")
        return
    span = [
        index
        for index in range(start + 1, end)
        if index not in resolved.dropped and index not in situation.ours_only and droppable(situation, index)
    ]
    inside = {
        situation.outputs[b.place].ref
        for index in span
        for b in situation.conversation.messages[index].results
        if b.place in situation.outputs
    }
    if not inside:
        _refuse(resolved, block, "what it stands for is not in the conversation")
    elif not inside <= set(block.refs):
        _refuse(resolved, block, "its span holds outputs that it does not cover")
    else:
        resolved.add(start, span, block)


def droppable(situation: Situation, index: int) -> bool:
    """Whether a block may stand for this message: prompts, summaries and system messages always stay, and so
    does an answer with an image, since a block's document holds text."""
    message = situation.conversation.messages[index]
    if message.role == "assistant":
        return all(block.kind != "image" for block in message.blocks)
    return message.role == "user" and bool(message.results) and all(b.kind == "result" for b in message.blocks)


def _unique_ids(situation: Situation) -> dict[str, int]:
    index_of: dict[str, int] = {}
    twice: set[str] = set()
    for index, message in enumerate(situation.conversation.messages):
        if message.id in index_of:
            twice.add(message.id)
        index_of[message.id] = index
    for id in twice:
        del index_of[id]
    return index_of


def _refuse(resolved: Resolved, block: ChainBlock, why: str) -> None:
    resolved.diagnostics.append(Diagnostic("unresolved-range", f"b{block.number}", f"b{block.number}: {why}"))
