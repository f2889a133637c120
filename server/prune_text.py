"""What `prune_context` answers: the structured form, and the same as short text."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby
from typing import Any

from prune_mcp.engine.answers import PruneAnswer

WHY = {
    "messages-returned": "the pruned messages are in this answer",
    "nothing-to-prune": "there is nothing to prune",
    "no-lever": "nothing has left the live context; the plan is recorded",
    "thinking-bound": "nothing was edited; the plan is recorded",
    "dry-run": "only told, nothing was pruned",
}
LISTED = 40
# The numbers of outcomes that can be added up.
ADDED = ("outputs", "messages", "chains", "edits", "chars", "tokens_before", "tokens_after")


def structured(answer: PruneAnswer) -> dict[str, Any]:
    """The answer as a JSON value; without `messages` where there are none."""
    value = {name: getattr(answer, name) for name in answer.__dataclass_fields__}
    if answer.messages is None:
        del value["messages"]
    return value


def text(answer: PruneAnswer) -> str:
    """The answer as lines: effect, sizes, session, refs, what was decided, what to do next, diagnostics."""
    told = WHY.get(answer.why)
    lines = [f"{answer.effect} ({answer.why})" + (f": {told}" if told else ""), answer.summary]
    if answer.break_even_requests is not None:
        lines.append(f"Rewriting the cache is paid for after {answer.break_even_requests:.1f} more requests.")
    lines.append(f"session {answer.session}" + (f" of {answer.host}" if answer.host else ""))
    if answer.refs:
        lines.append(f"refs in view: {ranges(answer.refs)}")
    lines += [_decision(*decision) for decision in decisions(answer.outcomes)]
    lines += [f"next: {step}" for step in answer.next_steps]
    return "\n".join(lines + _few([_diagnostic(one) for one in answer.diagnostics]))


def ranges(refs: Iterable[str]) -> str:
    """Refs in their order, each once, those that follow each other as one: `t1-t7 b1 t9`."""
    from prune_mcp.engine.refs import fold, parse_ref

    parsed = [ref for ref in map(parse_ref, dict.fromkeys(refs)) if ref is not None]
    runs = groupby(parsed, key=lambda ref: ref.kind)
    return " ".join(name for kind, run in runs for name in fold(kind, [ref.first for ref in run]))


def decisions(outcomes: Iterable[dict[str, Any]]) -> list[tuple[str, str, dict[str, int]]]:
    """What was decided: (step, reason, numbers); numbers of the same step and reason are added up."""
    summed: dict[tuple[str, str], dict[str, int]] = {}
    for outcome in outcomes:
        sums = summed.setdefault((str(outcome.get("step", "")), str(outcome.get("reason", ""))), {})
        for key in ADDED:
            if key in outcome:
                sums[key] = sums.get(key, 0) + int(outcome[key])
    return [(step, reason, sums) for (step, reason), sums in summed.items()]


def _decision(step: str, reason: str, numbers: dict[str, int]) -> str:
    told = ", ".join(f"{key.replace('_', ' ')} {value:,}" for key, value in numbers.items())
    return f"{step}: {reason}" + (f" ({told})" if told else "")


def _diagnostic(found: dict[str, Any]) -> str:
    times = f" ({found['count']} times)" if found.get("count", 1) > 1 else ""
    return f"note: {found.get('kind', '')}: {found.get('detail', '')}{times}"


def _few(lines: list[str]) -> list[str]:
    return lines if len(lines) <= LISTED else [*lines[:LISTED], f"... and {len(lines) - LISTED} more"]
