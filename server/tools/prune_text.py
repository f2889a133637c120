"""What `prune_context` answers: the structured form, and the same as short text."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Any

from prune_mcp.engine.answers import PruneAnswer
from prune_mcp.server.hosts import held_in_part
from prune_mcp.server.unicode import surrogates

if TYPE_CHECKING:
    from prune_mcp.engine.recovery.refs import RefKind

HELD_IN_PART = "edits before signed thinking of the open exchange are held back, those after it are made"
WHY = {
    "messages-returned": "the pruned messages are in this answer",
    "nothing-to-prune": "there is nothing to prune",
    "no-lever": "nothing has left the live context; the plan is recorded",
    "thinking-bound": "nothing is edited before signed thinking of the open exchange; the plan is recorded",
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
    told = HELD_IN_PART if held_in_part(answer) else WHY.get(answer.why)
    lines = [f"{answer.effect} ({answer.why})" + (f": {told}" if told else ""), answer.summary]
    if answer.break_even_requests is not None:
        lines.append(f"Rewriting the cache is paid for after {answer.break_even_requests:.1f} more requests.")
    lines.append(f"session {answer.session}" + (f" of {answer.host}" if answer.host else ""))
    if answer.refs:
        lines.append(f"refs in view: {ranges(answer.refs)}")
    lines += [f"{outcome.get('step')}: {decision(outcome)}" for outcome in added(answer.outcomes)]
    lines += [f"next: {step}" for step in answer.next_steps]
    return "\n".join(lines + diagnostics(answer))


def diagnostics(answer: PruneAnswer) -> list[str]:
    """What went wrong without loss, a line for each."""
    return _few([_diagnostic(one) for one in answer.diagnostics])


def tell_surrogates(answer: PruneAnswer) -> None:
    """Add how many lone surrogates of the answer are shown as U+FFFD to its diagnostics."""
    if lost := surrogates(structured(answer)):
        detail = f"{lost} lone surrogates are shown as U+FFFD"
        answer.diagnostics.append({"kind": "unicode", "key": "surrogate", "detail": detail, "count": 1})


def ranges(refs: Iterable[str]) -> str:
    """Refs by kind and number, those that follow each other as one: `t1-t7, t9, t4:args, b1-b2`."""
    from prune_mcp.engine.recovery.refs import fold, parse_ref

    numbers: dict[tuple[RefKind, str], list[int]] = {}
    for ref in {ref for ref in map(parse_ref, refs) if ref is not None}:
        numbers.setdefault((ref.kind, ref.facet), []).append(ref.first)
    kinds = sorted(numbers, key=lambda kind: (kind[0] == "b", kind[1]))
    return ", ".join(ref for kind, facet in kinds for ref in _few(fold(kind, sorted(numbers[kind, facet]), facet)))


def added(outcomes: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """The outcomes with those of the same step and reason added up; `times` says how many they were."""
    groups: dict[tuple[Any, Any], list[dict[str, Any]]] = {}
    for outcome in outcomes:
        groups.setdefault((outcome.get("step"), outcome.get("reason")), []).append(outcome)
    return [_sum(group) for group in groups.values()]


def _sum(group: list[dict[str, Any]]) -> dict[str, Any]:
    if len(group) == 1:
        return group[0]
    sums = {key: sum(one.get(key, 0) for one in group) for key in ADDED if any(key in one for one in group)}
    return {"step": group[0].get("step"), "reason": group[0].get("reason"), "times": len(group), **sums}


def decision(outcome: dict[str, Any]) -> str:
    """What one step decided and why, with its numbers, in words."""
    numbers = [(key, value) for key, value in outcome.items() if key not in ("step", "reason")]
    told = ", ".join(f"{key.replace('_', ' ')} {_number(value)}" for key, value in numbers)
    return f"{outcome.get('reason')}" + (f" ({told})" if told else "")


def _number(value: Any) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)


def _diagnostic(found: dict[str, Any]) -> str:
    times = f" ({found['count']} times)" if found.get("count", 1) > 1 else ""
    return f"note: {found.get('kind', '')}: {found.get('detail', '')}{times}"


def _few(lines: list[str]) -> list[str]:
    return lines if len(lines) <= LISTED else [*lines[:LISTED], f"and {len(lines) - LISTED} more"]
