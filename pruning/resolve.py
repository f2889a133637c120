"""Where the store's blocks apply in the conversation as it is now; fails closed."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from prune_mcp.pruning.situation import Situation
from prune_mcp.sessions.model import Block, Place
from prune_mcp.storage.records import BlockKind, ChainBlock, Diagnostic


@dataclass(slots=True)
class Resolved:
    """Blocks that apply: `dropped` message indexes, `cut` results of messages that stay, `inserted` blocks by the
    message index they follow, and what could not be resolved. `documented`: by the prompts of the exchanges whose
    thinking is in the document of a block the message that this follows."""

    dropped: set[int] = field(default_factory=set)
    cut: set[Place] = field(default_factory=set)
    inserted: dict[int, list[ChainBlock]] = field(default_factory=dict)
    documented: dict[int, int] = field(default_factory=dict)
    diagnostics: list[Diagnostic] = field(default_factory=list)

    def add(self, start: int, cover: Cover, block: ChainBlock) -> None:
        """Apply a block after message `start`, in place of what it covers."""
        self.dropped.update(cover.dropped)
        self.cut.update(block.place for _, block in cover.cut)
        self.inserted.setdefault(start, []).append(block)

    def covers(self, index: int, block: Block) -> bool:
        """Whether a block stands for this piece of message `index`."""
        return index in self.dropped or block.place in self.cut


class Cover(NamedTuple):
    """What a block stands for: whole messages, and results of messages that stay, with the message's index."""

    dropped: list[int]
    cut: list[tuple[int, Block]]


def resolve(situation: Situation) -> Resolved:
    """Apply each block whose start and end are there exactly once, and whose span holds nothing it does not
    cover. A block that already stands in the view is left as it is; any other stays raw, with a diagnostic.
    Blocks for thinking apply only where thinking is left out, which the view itself decides."""
    resolved = Resolved()
    index_of = unique_ids(situation)
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
    cover = covered(situation, block.kind, start, end, resolved.dropped)
    messages = situation.conversation.messages
    results = [block for index in cover.dropped for block in messages[index].results]
    results += [block for _, block in cover.cut]
    inside = {situation.outputs[b.place].ref for b in results if b.place in situation.outputs}
    if not inside:
        _refuse(resolved, block, "what it stands for is not in the conversation")
    elif not inside <= set(block.refs):
        _refuse(resolved, block, "its span holds outputs that it does not cover")
    else:
        resolved.add(start, cover, block)
        if block.kind == "chain":
            resolved.documented[start] = start
        elif block.kind == "collapse":
            resolved.documented |= {
                each.start: start for each in situation.exchanges if start <= each.start <= end
            }


def covered(situation: Situation, kind: BlockKind, start: int, end: int, gone: Collection[int]) -> Cover:
    """What a block of this kind after message `start` stands for; `gone` messages have others that do.

    A chain ends before message `end`; a collapse takes that in, and leaves the answer that ends each exchange.
    """
    if kind == "collapse":
        return collapsed(situation, [i for i in range(start + 1, end + 1) if i not in gone])
    inside = (i for i in range(start + 1, end) if i not in gone and i not in situation.ours_only)
    return Cover([index for index in inside if droppable(situation, index)], [])


def collapsed(situation: Situation, inside: Sequence[int]) -> Cover:
    """What of these messages a collapse stands for: all that was done between the prompts and their answers.

    No call parts from its result: where one of them has to stay, the other one stays as well.
    """
    messages = situation.conversation.messages
    cover = Cover([], [])
    working = _working(situation, inside)
    for index in inside:
        message = messages[index]
        if index in working.messages:
            cover.dropped.append(index)
        elif message.role == "user":
            call_of = situation.pairing.call_of
            gone = [
                b for b in message.results if b.place not in call_of or call_of[b.place].place in working.calls
            ]
            if gone and len(gone) == len(message.blocks):
                cover.dropped.append(index)
            else:
                cover.cut.extend((index, block) for block in gone)
    return cover


class _Working(NamedTuple):
    """The messages in which work was done, and the places of the calls in them."""

    messages: set[int]
    calls: set[Place]


def _working(situation: Situation, inside: Sequence[int]) -> _Working:
    """What of these messages the assistant did and said on the way, as far as all results stand in them too."""
    messages = situation.conversation.messages
    results = {block.place for index in inside for block in messages[index].results}
    answers = closing_answers(situation, inside)
    # A call that nothing answers parts from nothing.
    results.update(block.place for index in inside for block in messages[index].calls)
    result_of = situation.pairing.result_of
    found = _Working(set(), set())
    for index in inside:
        message = messages[index]
        whole = all(result_of.get(block.place, block.place) in results for block in message.calls)
        if message.role == "assistant" and index not in answers and droppable(situation, index) and whole:
            found.messages.add(index)
            found.calls.update(block.place for block in message.calls)
    return found


def closing_answers(situation: Situation, inside: Sequence[int]) -> set[int]:
    """Which of these messages are answers without calls that nothing but a prompt comes after."""
    messages = situation.conversation.messages
    answers = set()
    last = True
    for index in reversed(inside):
        message = messages[index]
        if message.prompt and index not in situation.ours_only:
            last = True
        elif last and message.role == "assistant":
            if any(block.kind == "text" for block in message.blocks) and not message.calls:
                answers.add(index)
            last = False
        elif message.results:
            last = False
    return answers


def droppable(situation: Situation, index: int) -> bool:
    """Whether a block may stand for this message: prompts, summaries and system messages always stay, and so
    does an answer with an image, since a block's document holds text."""
    message = situation.conversation.messages[index]
    if message.role == "assistant":
        return all(block.kind != "image" for block in message.blocks)
    return message.role == "user" and bool(message.results) and all(b.kind == "result" for b in message.blocks)


def unique_ids(situation: Situation) -> dict[str, int]:
    """The messages that can be told by their ids: the index of each."""
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
