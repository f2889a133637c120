"""Ranges: what a model is asked about a compressed span that holds several summaries."""

from __future__ import annotations

from collections.abc import Iterator
from hashlib import sha256

from prune_mcp.pruning.chains import Span
from prune_mcp.pruning.situation import Situation
from prune_mcp.pruning.summaries.question import Item, Part
from prune_mcp.pruning.summaries.text import joined, summary_of
from prune_mcp.storage.records import Output

NAME = "range"
KEY_LENGTH = 16


def range_item(situation: Situation, span: Span) -> Item | None:
    """What a model is asked about a span; None where it holds not several summaries that were written apart."""
    summarised = list(_summarised(situation, span))
    by_turn = situation.options.batching_mode == "turn"
    if len({(output.flush, index if by_turn else 0) for index, output in summarised}) < 2:
        return None
    text = "\n".join(joined((output.ref, summary_of(output)) for _, output in summarised))
    key = sha256(text.encode("utf-8", "replace")).hexdigest()[:KEY_LENGTH]
    part = Part("Its summaries", len(text), lambda: text, len(text))
    return Item(NAME, key, (part,), len(text), frozenset(output.ref for _, output in summarised))


def _summarised(situation: Situation, span: Span) -> Iterator[tuple[int, Output]]:
    """The outputs of a span that a model summarised, with the index of their message."""
    gone = {block.place for block in span.blocks(situation.conversation.messages)}
    for index, block, output in situation.results():
        if output.state == "summary" and block.place in gone:
            yield index, output
