"""The pre-flush pipeline: which outputs a prune replaces, step by step, each with its reason.

protected -> spill -> frontier -> dedup and contained reads -> trivial -> model summary or digest -> oversized.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from prune_mcp.pruning.candidates import in_view
from prune_mcp.pruning.decision import Candidate, Decision
from prune_mcp.pruning.dedup import Originals, dedup
from prune_mcp.pruning.digest import digest, first_failure
from prune_mcp.pruning.names import Seen
from prune_mcp.pruning.plain import unmarked
from prune_mcp.pruning.resolve import Resolved, resolve
from prune_mcp.pruning.situation import Situation
from prune_mcp.pruning.spill import spill
from prune_mcp.pruning.stub import stub, summary_stub
from prune_mcp.pruning.supersede import set_protected_aside
from prune_mcp.pruning.trivial import skip_trivial
from prune_mcp.sessions.tokens import text_tokens, tokens

# A header alone costs about this much: smaller outputs are never worth replacing.
SMALLEST_BYTES = 48

# What models wrote about outputs, by ref.
Summarize = Callable[[Situation, Sequence[Candidate]], Mapping[int, str]]


def flush(
    situation: Situation, seen: Seen, number: int, keep: int, summarize: Summarize | None = None
) -> Decision:
    """Decide on every output past the frontier that is older than the newest `keep` turns.

    `seen` holds the names otherwise in view and is added to; `number` is the flush's own. What `summarize` tells
    nothing of, or too much, has a digest.
    """
    decision = Decision(number, frontier=situation.frontier)
    gone = resolve(situation)
    candidates = set_protected_aside(situation, in_view(situation, gone), decision, keep)
    originals = Originals(situation)
    candidates = spill(situation, candidates, originals, seen, decision)
    candidates = _past_frontier(situation, candidates, decision, keep)
    attempted = list(candidates)
    candidates = dedup(candidates, originals, decision)
    candidates, waiting = skip_trivial(situation, candidates, decision)
    if summarize:
        candidates = _summarize(situation, candidates, summarize(situation, candidates), seen, decision)
    _digest(situation, candidates, seen, decision)
    _advance(decision, attempted, waiting)
    _settle(situation, gone, seen, decision)
    return decision


def _past_frontier(
    situation: Situation, candidates: list[Candidate], decision: Decision, keep: int
) -> list[Candidate]:
    before = [c for c in candidates if c.output.ref <= situation.frontier]
    after = [c for c in candidates if c.output.ref > situation.frontier]
    kept = [c for c in after if situation.ages[c.index] < keep]
    decision.tell("frontier", "decided by an earlier prune", before, frontier=situation.frontier)
    decision.tell("kept", f"in the newest {keep} turns", kept, keep_turns=keep)
    return [c for c in after if situation.ages[c.index] >= keep]


def _summarize(
    situation: Situation,
    candidates: list[Candidate],
    summaries: Mapping[int, str],
    seen: Seen,
    decision: Decision,
) -> list[Candidate]:
    """Let the summaries stand that are smaller than their outputs; the candidates without one."""
    summarized: list[Candidate] = []
    oversized: list[Candidate] = []
    before = after = 0
    for candidate in candidates:
        words = summaries.get(candidate.output.ref)
        if not words:
            continue
        shown = _summary_stub(situation, candidate, words)
        if not candidate.worth(shown):
            oversized.append(candidate)
            continue
        summarized.append(candidate)
        before += tokens(candidate.output.size, candidate.output.images)
        after += text_tokens(shown)
        decision.replace(candidate, "summary", shown)
        seen.add(shown)
    told = {"tokens_before": before, "tokens_after": after}
    decision.tell("summary", "replaced by a stub with a model's summary", summarized, **told)
    decision.tell("summary", "the summary would not be smaller", oversized)
    decided = {candidate.output.ref for candidate in summarized}
    return [candidate for candidate in candidates if candidate.output.ref not in decided]


def _summary_stub(situation: Situation, candidate: Candidate, words: str) -> str:
    """The stub with a model's words, and with what failed if they do not tell."""
    output = candidate.output
    failure = first_failure(situation.conversation.text(candidate.block)) if output.error else ""
    if failure and failure not in words:
        words = f"- {unmarked(failure)}\n{words}"
    return summary_stub(
        output.ref, output.tool, output.key, output.error, output.chars, output.lines, output.images, words
    )


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
