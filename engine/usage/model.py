"""What fills a context depending on the model: what carries its calls, and the thinking it is not sent again."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from prune_mcp.engine.usage.slices import ALL, Slice
from prune_mcp.engine.usage.windows import is_claude, keeps_thinking
from prune_mcp.pruning.situation import Situation

# What Claude takes for a call and its result beside their texts, as `benchmarks/usage_error.py` fits it; the other
# models that were measured take next to nothing.
CALL_TOKENS = 65


def framing(situation: Situation, model: str) -> Iterator[Slice]:
    """The slices of what stands around each call and its result."""
    if is_claude(model) or (not model and situation.conversation.format == "anthropic"):
        for index, message in enumerate(situation.conversation.messages):
            if calls := sum(block.kind == "call" for block in message.blocks):
                yield Slice("framing", ALL, CALL_TOKENS * calls, index)


def remembered(situation: Situation, model: str, slices: Iterable[Slice]) -> tuple[list[Slice], list[Slice]]:
    """The slices that the model is sent, and those that it is not: thinking of earlier exchanges, for some."""
    sent: list[Slice] = []
    gone: list[Slice] = []
    start = 0 if keeps_thinking(model) or not situation.exchanges else situation.exchanges[-1].start
    for one in slices:
        (gone if one.category == "thinking" and one.message < start else sent).append(one)
    return sent, gone
