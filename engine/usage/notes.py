"""What a reader of the numbers must know of them, in sentences."""

from __future__ import annotations

from collections.abc import Iterator

from prune_mcp.engine.recovery.fence import inline
from prune_mcp.engine.usage.answer import UsageAnswer
from prune_mcp.sessions.model import Conversation

MODEL_CHARS = 80
_WHO = {
    "settings": "the settings give the window",
    "transcript": "the host gives the window",
    "table": "the model's window is known to be",
}


def notes(answer: UsageAnswer, conversation: Conversation) -> Iterator[str]:
    """What a reader of the numbers must know of them."""
    if answer.window is None:
        why = (
            f"the window of {inline(answer.model, MODEL_CHARS)} is not known"
            if answer.model
            else "no model is named"
        )
        yield f"Free space cannot be told, since {why}; the setting context_window tells it."
    elif answer.free is None:
        yield (
            f"More stands in the context than the {answer.window:,} tokens that {_WHO[answer.window_source]}, so "
            "free space cannot be told; the setting context_window corrects it."
        )
    held = {row.category for row in answer.rows}
    if answer.counted is None and not held & {"system", "tools"}:
        yield "System prompt and tools are not told here, and come on top of what is listed."
    elif answer.counted is None and "tools" not in held:
        yield "Tools are not told here, and come on top of what is listed."
    if answer.counted and answer.counted.above:
        yield f"The estimates are {answer.counted.above:,} tokens above the provider's count."
    if answer.forgotten:
        yield (
            f"~{answer.forgotten:,} tokens of thinking before the newest prompt are left out: this model is not "
            "sent them again."
        )
    for kind, count in sorted(conversation.skipped.items()):
        yield f"Skipped in the source: {kind} ({count})."
