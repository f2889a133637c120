"""Whether a prune is due, as `prune-mcp prune --when-due` says it."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Any

from prune_mcp.server.commands.console import say
from prune_mcp.server.target import holds_messages, loaded, plain_advice

if TYPE_CHECKING:
    from prune_mcp.engine.due.due import Due
    from prune_mcp.engine.engine import Engine
    from prune_mcp.server.commands.hook_input import HookInput


def ask(
    engine: Engine, path: Path, keep_turns: int | None, hook: HookInput | None = None, *, looking: bool = False
) -> Due:
    """Whether a session, or the messages in a file, are due to be pruned; what is wrong is said on stderr.

    `looking`: that this was asked counts for nothing.
    """
    options: dict[str, Any] = {"keep_turns": keep_turns, "looking": looking}
    if hook:
        options |= {"moment": hook.moment, "reloaded": hook.reloaded}
    if holds_messages(path):
        with plain_advice():
            told = engine.due_messages(loaded(path), **options)
    else:
        told = engine.due_transcript(path, **options)
    for note in told.notes:
        say(f"prune-mcp: {note}")
    return told


def sentence(told: Due) -> str:
    """Whether a prune is due and why, in one line."""
    return f"due ({told.trigger.label}): {told.reason}" if told.trigger else f"not due: {told.reason}"


def values(told: Due) -> dict[str, Any]:
    """The same as a JSON value, with everything that was looked at."""
    return {
        "due": told.trigger is not None,
        "label": told.trigger.label if told.trigger else "",
        "reason": told.reason,
        "session": told.session,
        **asdict(told.usage),
        "reminder": told.reminder,
    }
