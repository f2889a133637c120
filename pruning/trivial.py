"""Trivial batches: too little to be worth a stub each; archived all the same."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from prune_mcp.pruning.decision import Candidate, Decision
from prune_mcp.pruning.situation import Situation


def skip_trivial(
    situation: Situation, candidates: list[Candidate], decision: Decision
) -> tuple[list[Candidate], list[Candidate]]:
    """The candidates worth a look, and those that wait for more since their turn or exchange still goes on.

    A batch is trivial under `min_batch_chars` characters.
    """
    least = situation.options.min_batch_chars
    rest: list[Candidate] = []
    waiting: list[Candidate] = []
    skipped: list[Candidate] = []
    for batch in batches(situation, candidates):
        if sum(c.output.chars for c in batch) >= least:
            rest.extend(batch)
        elif _goes_on(situation, batch[-1]):
            waiting.extend(batch)
        else:
            skipped.extend(batch)
    decision.tell("trivial", f"batch under {least:,} characters", skipped, threshold=least)
    decision.tell("trivial", f"batch under {least:,} characters so far", waiting, threshold=least)
    return rest, waiting


def batches(situation: Situation, candidates: Sequence[Candidate]) -> Iterator[list[Candidate]]:
    """The candidates by batch, which is a turn or a user exchange (`batching_mode`)."""
    by_turn = situation.options.batching_mode == "turn"
    for _, batch in groupby(candidates, key=lambda c: c.index if by_turn else c.exchange):
        yield list(batch)


def _goes_on(situation: Situation, candidate: Candidate) -> bool:
    """Whether more may come to the batch of this candidate, its last one."""
    if situation.options.batching_mode == "turn" and situation.ages[candidate.index]:
        return False
    return candidate.exchange >= 0 and situation.exchanges[candidate.exchange].open
