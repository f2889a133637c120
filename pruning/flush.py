"""The pre-flush pipeline: which outputs a prune replaces, step by step, each with its reason.

protected -> spill -> frontier -> dedup and contained reads -> trivial -> digest -> oversized.
"""

from __future__ import annotations

from prune_mcp.pruning.decision import Candidate, Decision
from prune_mcp.pruning.dedup import Originals, dedup
from prune_mcp.pruning.digest import digest
from prune_mcp.pruning.names import Seen
from prune_mcp.pruning.resolve import Resolved, resolve
from prune_mcp.pruning.situation import Situation
from prune_mcp.pruning.spill import spill
from prune_mcp.pruning.stub import stub
from prune_mcp.pruning.supersede import set_protected_aside
from prune_mcp.pruning.trivial import skip_trivial
from prune_mcp.sessions.tokens import text_tokens, tokens

# A header alone costs about this much: smaller outputs are never worth replacing.
SMALLEST_BYTES = 48


def flush(situation: Situation, seen: Seen, number: int, keep: int) -> Decision:
    """Decide on every output past the frontier that is older than the newest `keep` turns.

    `seen` holds the names otherwise in view and is added to; `number` is the flush's own.
    """
    decision = Decision(number, frontier=situation.frontier)
    gone = resolve(situation)
    candidates = set_protected_aside(situation, _candidates(situation, gone), decision, keep)
    originals = Originals(situation)
    candidates = spill(situation, candidates, originals, seen, decision)
    candidates = _past_frontier(situation, candidates, decision, keep)
    attempted = list(candidates)
    candidates = dedup(candidates, originals, decision)
    candidates, waiting = skip_trivial(situation, candidates, decision)
    _digest(situation, candidates, seen, decision)
    _advance(decision, attempted, waiting)
    _settle(situation, gone, seen, decision)
    return decision


def _candidates(situation: Situation, gone: Resolved) -> list[Candidate]:
    """The whole outputs that are in view: a stub for what a block stands for already would say nothing."""
    exchange_of = [-1] * len(situation.conversation.messages)
    for number, exchange in enumerate(situation.exchanges):
        exchange_of[exchange.start : exchange.stop] = [number] * (exchange.stop - exchange.start)
    return [
        Candidate(index, block, output, exchange_of[index])
        for index, block, output in situation.results()
        if output.state == "whole" and not gone.covers(index, block)
    ]


def _past_frontier(
    situation: Situation, candidates: list[Candidate], decision: Decision, keep: int
) -> list[Candidate]:
    before = [c for c in candidates if c.output.ref <= situation.frontier]
    after = [c for c in candidates if c.output.ref > situation.frontier]
    kept = [c for c in after if situation.ages[c.index] < keep]
    decision.tell("frontier", "decided by an earlier prune", before, frontier=situation.frontier)
    decision.tell("kept", f"in the newest {keep} turns", kept, keep_turns=keep)
    return [c for c in after if situation.ages[c.index] >= keep]


def _digest(situation: Situation, candidates: list[Candidate], seen: Seen, decision: Decision) -> None:
    digested: list[Candidate] = []
    oversized: list[Candidate] = []
    before = after = 0
    for candidate in candidates:
        shown = _stub(situation, candidate, seen)
        if not shown or not candidate.worth(shown):
            oversized.append(candidate)
            continue
        digested.append(candidate)
        before += tokens(candidate.output.size, candidate.output.images)
        after += text_tokens(shown)
        decision.replace(candidate, "stub", shown)
    decision.tell("digest", "replaced by a stub", digested, tokens_before=before, tokens_after=after)
    decision.tell("oversized", "the stub would not be smaller", oversized)


def _stub(situation: Situation, candidate: Candidate, seen: Seen) -> str:
    output = candidate.output
    if output.size < SMALLEST_BYTES and not output.images:
        return ""
    text = situation.conversation.text(candidate.block)
    said = digest(text, seen, tool=output.tool, key=output.key, error=output.error)
    return stub(output.ref, output.tool, output.key, output.error, output.chars, output.lines, output.images, said)


def _advance(decision: Decision, attempted: list[Candidate], waiting: list[Candidate]) -> None:
    """Move the frontier past everything attempted, but not past what waits for more."""
    first_waiting = min((c.output.ref for c in waiting), default=None)
    for candidate in attempted:
        ref = candidate.output.ref
        if first_waiting is None or ref < first_waiting:
            decision.frontier = max(decision.frontier, ref)


def _settle(situation: Situation, gone: Resolved, seen: Seen, decision: Decision) -> None:
    """Count what the outputs say that stay whole for good now that the frontier has passed them."""
    decided = {output.ref for output in decision.outputs}
    for index, block, output in situation.results():
        passed = situation.frontier < output.ref <= decision.frontier and not gone.covers(index, block)
        if passed and output.state == "whole" and output.ref not in decided:
            seen.add(situation.conversation.text(block))
