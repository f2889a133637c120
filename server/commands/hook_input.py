"""What a host's hook tells on stdin: which session it is about, and what happened there."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from prune_mcp.server.target import source

# Events by which an exchange has ended, and by which a session was started or loaded, of all hosts, in lower case.
ENDED = frozenset({"stop", "userpromptsubmit", "beforesubmitprompt", "beforeagent", "afteragent"})
LOADED = frozenset({"sessionstart"})
# Events whose hooks may give the model more to read. At others such an answer is an error, or makes it go on.
TELLING = frozenset(
    {"SessionStart", "UserPromptSubmit", "PostToolUse", "PostToolBatch", "BeforeAgent", "AfterTool"}
)


@dataclass(frozen=True, slots=True)
class HookInput:
    """One call of a hook: the event by the host's name, and the session's transcript or file."""

    event: str
    path: Path

    @property
    def moment(self) -> Literal["turn", "exchange"]:
        """What has just ended."""
        return "exchange" if self.event.lower() in ENDED else "turn"

    @property
    def reloaded(self) -> bool:
        """Whether the session was started or loaded."""
        return self.event.lower() in LOADED

    def telling(self, words: str) -> dict[str, Any] | None:
        """The answer that gives the model these words, None where there are none or the event takes none."""
        if not words or self.event not in TELLING:
            return None
        return {"hookSpecificOutput": {"hookEventName": self.event, "additionalContext": words}}


def hook_input() -> HookInput:
    """The input of the hook that this process is.

    Raises:
        EngineError: stdin holds none, or it names no session.
        SessionError: there is no such session.
    """
    from prune_mcp.engine.answers import EngineError

    if sys.stdin.isatty():
        raise EngineError("--hook is for hooks of a host, which give JSON on stdin; name a session instead.")
    try:
        told = json.loads(sys.stdin.buffer.read())
    except (ValueError, RecursionError) as error:
        raise EngineError(f"The hook's input on stdin is no JSON ({error}).") from error
    event, path, session = (_text(told, key) for key in ("hook_event_name", "transcript_path", "session_id"))
    if path:
        return HookInput(event, Path(path).expanduser())
    if not session:
        raise EngineError(
            "The hook's input on stdin names no session: it has neither transcript_path nor session_id."
        )
    return HookInput(event, source(session))


def _text(told: Any, key: str) -> str:
    value = told.get(key) if isinstance(told, dict) else None
    return value if isinstance(value, str) else ""
