"""A prune as the engine answers it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Any

from prune_mcp.engine.answers import Effect, PruneAnswer
from prune_mcp.engine.prune.prune import Pruned, Request
from prune_mcp.engine.recovery.fence import counted


def shape(pruned: Pruned, request: Request, settings_wrong: Sequence[str] = ()) -> PruneAnswer:
    """The answer to one prune; `messages`, `host` of messages passed in and `next_steps` are the caller's."""
    conversation = pruned.situation.conversation
    effect, why = _effect(pruned, request)
    weight = pruned.measure
    return PruneAnswer(
        effect=effect,
        why=why,
        host=conversation.host,
        session=conversation.session,
        tokens_before=weight.before,
        tokens_after=weight.after,
        break_even_requests=weight.break_even,
        refs=pruned.refs,
        outcomes=[*pruned.plan.outcomes, *_bound(pruned)],
        summary=_summary(pruned, why),
        diagnostics=_diagnostics(pruned, settings_wrong),
    )


def _effect(pruned: Pruned, request: Request) -> tuple[Effect, str]:
    edited, bound = pruned.edited, bool(pruned.rendered.bound)
    if request.dry_run:
        return "advisory", "dry-run"
    if bound:
        return "applied" if edited and not pruned.situation.conversation.path else "advisory", "thinking-bound"
    if pruned.situation.conversation.path:
        return "advisory", "no-lever" if edited else "nothing-to-prune"
    return "applied", "messages-returned" if edited else "nothing-to-prune"


def _bound(pruned: Pruned) -> list[dict[str, Any]]:
    if not pruned.rendered.bound:
        return []
    reason = "stands before signed thinking of the open exchange"
    return [{"step": "thinking", "reason": reason, "edits": pruned.rendered.bound}]


def _summary(pruned: Pruned, why: str) -> str:
    weight = pruned.measure
    if not pruned.edited:
        if pruned.rendered.bound:
            plan = "The plan would apply" if why == "dry-run" else "The plan is recorded and applies"
            return (
                f"Nothing is edited while the open exchange holds signed thinking: the context holds"
                f" {weight.before:,} tokens. {plan} once the exchange is closed."
            )
        outputs = "" if pruned.situation.outputs else " and no tool outputs"
        return f"Nothing to prune: the context holds {counted(weight.before, 'token')}{outputs}."
    saved = weight.before - weight.after
    share = f" ({100 * saved // max(1, weight.before)} % less)" if saved > 0 else ""
    return f"{weight.before:,} tokens before, {weight.after:,} after{share}: {', '.join(_edits(pruned))}."


def _edits(pruned: Pruned) -> list[str]:
    view = pruned.rendered.view
    inserted = {text for texts in view.inserted.values() for text in texts}
    blocks = [b for b in pruned.situation.blocks if b.text in inserted and b.kind != "thinking"]
    edits = []
    if view.texts:
        edits.append(f"{counted(len(view.texts), 'output')} replaced by stubs")
    if blocks:
        edits.append(f"{counted(len(view.dropped), 'message')} compressed to {counted(len(blocks), 'block')}")
    if view.arguments:
        edits.append(f"arguments of {counted(len(view.arguments), 'failed call')} cut")
    if pruned.swept or view.notes:
        edits.append("calls and results without a partner noted")
    if pruned.rendered.thoughts:
        edits.append("thinking behind an edit left out")
    return edits or ["what earlier prunes decided"]


def _diagnostics(pruned: Pruned, settings_wrong: Sequence[str]) -> list[dict[str, Any]]:
    found = [asdict(diagnostic) for diagnostic in pruned.diagnostics]
    skipped = pruned.situation.conversation.skipped
    found.extend(
        {
            "kind": "skipped",
            "key": kind,
            "detail": f"{kind} entries of the source",
            "count": count,
        }
        for kind, count in sorted(skipped.items())
    )
    found.extend({"kind": "settings", "key": word, "detail": word, "count": 1} for word in settings_wrong)
    return found
