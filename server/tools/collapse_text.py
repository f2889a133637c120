"""What `collapse_turns` answers, as short text; the structured form is that of `prune_context`."""

from __future__ import annotations

from prune_mcp.engine.collapse.collapse import NOTHING, CollapseAnswer
from prune_mcp.server.hosts import next_steps as steps_of_prune
from prune_mcp.server.tools.prune_text import WHY, diagnostics


def text(answer: CollapseAnswer) -> str:
    """The answer as lines: effect, sizes, session, what was collapsed and what stands for it, what to do next."""
    told = "" if answer.why == NOTHING else WHY.get(answer.why, "")
    lines = [f"{answer.effect} ({answer.why})" + (f": {told}" if told else ""), answer.summary]
    if answer.block and answer.break_even_requests is not None:
        lines.append(f"Rewriting the cache is paid for after {answer.break_even_requests:.1f} more requests.")
    lines.append(f"session {answer.session}" + (f" of {answer.host}" if answer.host else ""))
    lines += [f"collapsed: {prompt}" for prompt in answer.prompts]
    lines += [answer.text] if answer.text else []
    lines += [f"outcome: {answer.said}"] if answer.closed and answer.said else []
    lines += [f"next: {step}" for step in answer.next_steps]
    return "\n".join(lines + diagnostics(answer))


def next_steps(answer: CollapseAnswer, recover: str = "context_tree_query") -> list[str]:
    """What to do so that the collapse takes effect; `recover` is what brings back a ref."""
    return [] if answer.why == NOTHING else steps_of_prune(answer, recover)
