"""The pre-flush pipeline: which outputs a prune replaces, step by step, each with its reason.

protected -> spill -> frontier -> dedup and contained reads -> trivial -> digest -> oversized.
"""

from __future__ import annotations

from prune_mcp.pruning.decision import Candidate, Decision
from prune_mcp.pruning.dedup import Originals, dedup
from prune_mcp.pruning.digest import digest
from prune_mcp.pruning.names import Seen
from prune_mcp.pruning.situation import Situation
from prune_mcp.pruning.spill import spill
from prune_mcp.pruning.stub import stub
from prune_mcp.pruning.supersede import set_protected_aside
from prune_mcp.pruning.trivial import skip_trivial
from prune_mcp.sessions.tokens import text_tokens, tokens
from prune_mcp.storage.records import Output

# A header alone costs about this much: smaller outputs are never worth replacing.
SMALLEST_BYTES = 48


def flush(
    situation: Situation, seen: Seen, number: int, note: str = "", keep_turns: int | None = None
) -> Decision:
    """Decide on every output past the frontier that is older than the newest turns.

    `seen` holds the names otherwise in view and is added to; `number` is the flush's own; `note` is shown
    once, in the newest stub of this flush.
    """
    decision = Decision(number, frontier=situation.frontier)
    keep = situation.options.keep_turns if keep_turns is None else keep_turns
    candidates = set_protected_aside(situation, _candidates(situation), decision, keep)
    originals = Originals(situation)
    candidates = spill(situation, candidates, originals, decision)
    candidates = _past_frontier(situation, candidates, decision, keep)
    attempted = list(candidates)
    candidates = dedup(candidates, originals, decision)
    candidates, waiting = skip_trivial(situation, candidates, decision)
    _digest(situation, candidates, seen, decision, note)
    _advance(decision, attempted, waiting)
    _settle(situation, seen, decision)
    return decision


def _candidates(situation: Situation) -> list[Candidate]:
    exchange_of = [-1] * len(situation.conversation.messages)
    for number, exchange in enumerate(situation.exchanges):
        exchange_of[exchange.start : exchange.stop] = [number] * (exchange.stop - exchange.start)
    return [
        Candidate(index, block, output, exchange_of[index])
        for index, block, output in situation.results()
        if output.state == "whole"
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


def _digest(situation: Situation, candidates: list[Candidate], seen: Seen, decision: Decision, note: str) -> None:
    """Stubs for all that are worth it; the newest one carries the note, where it can without growing too large."""
    stubs: list[tuple[Candidate, str, str]] = []
    for candidate in candidates:
        output = candidate.output
        if output.size < SMALLEST_BYTES and not output.images:
            continue
        said = digest(
            situation.conversation.text(candidate.block),
            seen,
            tool=output.tool,
            key=output.key,
            error=output.error,
        )
        shown = _stub(output, said, "")
        if candidate.worth(shown):
            stubs.append((candidate, said, shown))
    if note and stubs:
        newest, said, _ = stubs[-1]
        noted = _stub(newest.output, said, note)
        if newest.worth(noted):
            stubs[-1] = (newest, said, noted)
    for candidate, _, shown in stubs:
        decision.replace(candidate, "stub", shown)
    _tell(candidates, stubs, decision)


def _tell(candidates: list[Candidate], stubs: list[tuple[Candidate, str, str]], decision: Decision) -> None:
    digested = [candidate for candidate, _, _ in stubs]
    before = sum(tokens(c.output.size, c.output.images) for c in digested)
    after = sum(text_tokens(shown) for _, _, shown in stubs)
    refs = {c.output.ref for c in digested}
    decision.tell("digest", "replaced by a stub", digested, tokens_before=before, tokens_after=after)
    oversized = [c for c in candidates if c.output.ref not in refs]
    decision.tell("oversized", "the stub would not be smaller", oversized)


def _stub(output: Output, said: str, note: str) -> str:
    return stub(
        output.ref, output.tool, output.key, output.error, output.chars, output.lines, output.images, said, note
    )


def _advance(decision: Decision, attempted: list[Candidate], waiting: list[Candidate]) -> None:
    """Move the frontier past everything attempted, but not past what waits for more."""
    first_waiting = min((c.output.ref for c in waiting), default=None)
    for candidate in attempted:
        ref = candidate.output.ref
        if first_waiting is None or ref < first_waiting:
            decision.frontier = max(decision.frontier, ref)


def _settle(situation: Situation, seen: Seen, decision: Decision) -> None:
    """Count what the outputs say that stay whole for good now that the frontier has passed them."""
    decided = {output.ref for output in decision.outputs}
    for _, block, output in situation.results():
        passed = situation.frontier < output.ref <= decision.frontier
        if passed and output.state == "whole" and output.ref not in decided:
            seen.add(situation.conversation.text(block))
