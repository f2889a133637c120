"""Which spans of messages a prune compresses to one block each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from prune_mcp.pruning.exchanges import Exchange
from prune_mcp.pruning.note import bare
from prune_mcp.pruning.resolve import droppable
from prune_mcp.pruning.situation import Situation
from prune_mcp.sessions.model import Block, Message
from prune_mcp.sessions.tokens import text_tokens, tokens
from prune_mcp.storage.records import BlockKind


@dataclass(slots=True)
class Span:
    """Messages that one block will stand for: it follows message `start`; message `end` is the first kept one, of
    a collapse the last one it takes in.

    `cut`: results of messages that stay, with the message's index. `answers`: answers that stay, whose thinking
    the block's document keeps.
    """

    kind: BlockKind
    start: int
    end: int
    dropped: list[int]
    cut: list[tuple[int, Block]] = field(default_factory=list)
    answers: list[int] = field(default_factory=list)

    def blocks(self, messages: Sequence[Message]) -> Iterator[Block]:
        """Every block that gives way, in order."""
        whole = set(self.dropped)
        cut = {block.place for _, block in self.cut}
        for index in sorted(whole.union(index for index, _ in self.cut)):
            yield from (block for block in messages[index].blocks if index in whole or block.place in cut)


@dataclass(slots=True)
class Spans:
    """The spans to compress, and for each exchange left alone the reason with its number."""

    spans: list[Span] = field(default_factory=list)
    outcomes: list[dict[str, object]] = field(default_factory=list)

    def tell(self, reason: str, chains: int, **numbers: object) -> None:
        """Record why that many chains were left alone."""
        if chains:
            self.outcomes.append({"step": "chain", "reason": reason, "chains": chains, **numbers})


def spans(situation: Situation, dropped: set[int], keep: int) -> Spans:
    """Closed chains past the rolling window, and the old turns of a long open one.

    `dropped` are the messages that earlier blocks stand for; the newest `keep` turns stay. An exchange that the
    next prompt interrupted keeps its last turn, so that it still ends as it did.
    """
    found = Spans()
    options = situation.options
    if options.chain_compression.enabled:
        candidates = [span for e in situation.exchanges if (span := _closed(situation, e, dropped))]
        window = options.chain_compression.rolling_window
        past = candidates[: max(0, len(candidates) - window)]
        found.tell("in the rolling window", len(candidates) - len(past), rolling_window=window)
        old = [span for span in past if all(situation.ages[index] >= keep for index in span.dropped)]
        found.tell(f"holds some of the newest {keep} turns", len(past) - len(old), keep_turns=keep)
        ready = [span for span in old if not _holds_recovered(situation, span)]
        found.tell("holds recovered output in its grace", len(old) - len(ready))
        found.spans.extend(ready)
    if options.open_chain.enabled and situation.exchanges and situation.exchanges[-1].open:
        _open(situation, situation.exchanges[-1], dropped, found, keep)
    return found


def _closed(situation: Situation, exchange: Exchange, dropped: set[int]) -> Span | None:
    if exchange.open:
        return None
    kind: BlockKind = "chain"
    end = exchange.final
    if end is None:
        kind = "open"
        end = _last_answer(situation, exchange)
    return None if end is None else _span(situation, kind, exchange.start, end, dropped)


def _open(situation: Situation, exchange: Exchange, dropped: set[int], found: Spans, keep: int) -> None:
    options = situation.options.open_chain
    keep = max(options.keep_turns, keep)
    messages = situation.conversation.messages
    turns = [i for i in range(exchange.start + 1, exchange.stop) if messages[i].calls and i not in dropped]
    if len(turns) <= keep or not keep:
        return
    span = _span(situation, "open", exchange.start, turns[-keep], dropped)
    if span is None:
        return
    size = span_tokens(situation, span)
    if size < options.min_tokens:
        reason = f"old turns of the open exchange hold under {options.min_tokens:,} tokens"
        found.tell(reason, 1, tokens=size)
    elif situation.options.thinking == "keep" and signed(situation, exchange):
        found.tell("the open exchange holds signed thinking", 1, tokens=size)
    elif _holds_recovered(situation, span):
        found.tell("holds recovered output in its grace", 1)
    else:
        found.spans.append(span)


def _span(situation: Situation, kind: BlockKind, start: int, end: int, dropped: set[int]) -> Span | None:
    """The span between two kept messages, if anything with an answered call stands in it."""
    inside = [
        index
        for index in range(start + 1, end)
        if index not in dropped and index not in situation.ours_only and droppable(situation, index)
    ]
    answered = situation.pairing.call_of
    has_results = any(b.place in answered for i in inside for b in situation.conversation.messages[i].results)
    if not (has_results and _whole(situation, inside)):
        return None
    return Span(kind, start, end, inside, answers=[end] if kind == "chain" else [])


def _whole(situation: Situation, inside: list[int]) -> bool:
    """Whether every call in the span is answered in it: a block never parts a call from its result."""
    messages = situation.conversation.messages
    own = set(inside)
    orphans = {index for index, _ in situation.pairing.calls} | {index for index, _ in situation.pairing.results}
    calls = sum(len(messages[i].calls) for i in inside)
    results = sum(len(messages[i].results) for i in inside)
    return calls == results and not (own & orphans)


def _last_answer(situation: Situation, exchange: Exchange) -> int | None:
    messages = situation.conversation.messages
    answers = [i for i in range(exchange.start + 1, exchange.stop) if messages[i].role == "assistant"]
    return answers[-1] if answers else None


def signed(situation: Situation, exchange: Exchange) -> bool:
    """Whether any thinking of the exchange is bound to its prefix."""
    messages = situation.conversation.messages[exchange.start : exchange.stop]
    return any(block.signed for message in messages for block in message.blocks)


def _holds_recovered(situation: Situation, span: Span) -> bool:
    messages = situation.conversation.messages
    return any(situation.in_grace(index, block) for index in span.dropped for block in messages[index].results)


def span_tokens(situation: Situation, span: Span) -> int:
    """The tokens of what a block would stand for, with results as stubs where they have one."""
    return sum(_shown_tokens(situation, block) for block in span.blocks(situation.conversation.messages))


def _shown_tokens(situation: Situation, block: Block) -> int:
    output = situation.outputs.get(block.place) if block.kind == "result" else None
    if output is not None and output.stub:
        return text_tokens(bare(output.stub))
    return tokens(block.size, block.images)
