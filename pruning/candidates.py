"""The outputs that a prune may decide on, and which of them one would decide on now."""

from __future__ import annotations

from prune_mcp.pruning.decision import Candidate
from prune_mcp.pruning.resolve import Resolved, resolve
from prune_mcp.pruning.situation import Situation


def in_view(situation: Situation, gone: Resolved) -> list[Candidate]:
    """The whole outputs that are in view: a stub for what a block stands for already would say nothing."""
    exchange_of = [-1] * len(situation.conversation.messages)
    for number, exchange in enumerate(situation.exchanges):
        exchange_of[exchange.start : exchange.stop] = [number] * (exchange.stop - exchange.start)
    return [
        Candidate(index, block, output, exchange_of[index])
        for index, block, output in situation.results()
        if output.state == "whole" and not gone.covers(index, block)
    ]


def undecided(situation: Situation, keep: int) -> list[Candidate]:
    """The outputs that a prune would decide on now: past the frontier and older than the newest `keep` turns, or
    large enough to be spilled; without those that are protected."""
    spilled = situation.options.spill_threshold
    return [
        candidate
        for candidate in in_view(situation, resolve(situation))
        if candidate.output.ref > situation.frontier
        and (situation.ages[candidate.index] >= keep or candidate.output.chars >= spilled)
        and not situation.protected(candidate.block)
    ]
