"""Which finished exchanges a collapse may take: the newest in which anything was done that still stands there."""

from __future__ import annotations

from collections.abc import Iterator

from prune_mcp.pruning.chains import Span
from prune_mcp.pruning.exchanges import Exchange
from prune_mcp.pruning.resolve import Resolved, collapsed
from prune_mcp.pruning.situation import Situation
from prune_mcp.sessions.model import Format

NO_PROMPT = (
    "There is nothing to collapse: no prompt stands in this conversation, and what stands before a first one is "
    "left alone."
)
NO_ANSWER = "There is nothing to collapse: a prompt without an answer is work in flight, not a finished exchange."
STILL_OPEN = (
    "There is nothing to collapse: the only exchange is still open. It can be collapsed once it has ended in an "
    "answer without tool calls, or the next prompt has come."
)
# Formats that record runs which have ended: nothing goes on after their last call.
ENDED: frozenset[Format] = frozenset({"mini-swe-agent", "swe-agent"})
# Why a finished exchange is passed over, as said of it.
UNANSWERED = "without an answer"
COMPRESSED = "compressed already"
NOTHING_DONE = "with nothing between prompt and answer"


def refusal(situation: Situation) -> str:
    """Why nothing of this conversation can be collapsed, in words; "" where it holds a finished exchange."""
    if not situation.exchanges:
        return NO_PROMPT
    over = [exchange for exchange in situation.exchanges if not _open(situation, exchange)]
    if any(_answered(situation, exchange) for exchange in reversed(over)):
        return ""
    still = [exchange for exchange in situation.exchanges if _open(situation, exchange)]
    return STILL_OPEN if any(_answered(situation, exchange) for exchange in still) else NO_ANSWER


def finished(situation: Situation, resolved: Resolved) -> Iterator[tuple[Exchange, str]]:
    """The finished exchanges, the newest first, each with why it is passed over, "" where it may be taken."""
    for exchange in reversed(situation.exchanges):
        if _open(situation, exchange):
            continue
        if not _answered(situation, exchange):
            yield exchange, UNANSWERED
        elif _has_results(situation, span_of(situation, [exchange], resolved)):
            yield exchange, ""
        else:
            yield exchange, COMPRESSED if _has_block(situation, exchange, resolved) else NOTHING_DONE


def span_of(situation: Situation, exchanges: list[Exchange], resolved: Resolved) -> Span:
    """What one block will stand for that collapses these exchanges, in order; those in between come along."""
    start, end = exchanges[0].start, exchanges[-1].stop - 1
    inside = [index for index in range(start + 1, end + 1) if index not in resolved.dropped]
    cover = collapsed(situation, inside)
    told = (each for each in situation.exchanges if each.start in resolved.documented)
    known = {index for each in told for index in range(each.start, each.stop)}
    left = set(inside).difference(cover.dropped, known)
    messages = situation.conversation.messages
    answers = [index for index in sorted(left) if messages[index].role == "assistant"]
    return Span("collapse", start, end, cover.dropped, cover.cut, answers)


def _open(situation: Situation, exchange: Exchange) -> bool:
    return exchange.open and situation.conversation.format not in ENDED


def _answered(situation: Situation, exchange: Exchange) -> bool:
    messages = situation.conversation.messages[exchange.start : exchange.stop]
    return any(message.role == "assistant" for message in messages)


def _has_results(situation: Situation, span: Span) -> bool:
    return any(block.kind == "result" for block in span.blocks(situation.conversation.messages))


def _has_block(situation: Situation, exchange: Exchange, resolved: Resolved) -> bool:
    """Whether a block stands in an exchange already, in the view or in what came in."""
    indexes = range(exchange.start, exchange.stop)
    if any(index in resolved.dropped or index in resolved.inserted for index in indexes):
        return True
    messages = situation.conversation.messages
    return any(block.place in situation.ours for index in indexes for block in messages[index].blocks)
