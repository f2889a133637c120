"""What is kept of a session from one asking whether to prune it to the next: one small file in the cache folder.

Where it is lost nothing else is: the next asking is as the first one was.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from pathlib import Path
from typing import Any

from prune_mcp.engine.settings import replace_file
from prune_mcp.pruning.triggers import TriggerState
from prune_mcp.storage.errors import StoreError
from prune_mcp.storage.home import Home, private_folder

FOLDER = "flush-states"
NAME_CHARS = 32


@dataclass(frozen=True, slots=True)
class FlushState:
    """The triggers' state, and which result was the newest old enough to be pruned (its mark, "" for none)."""

    trigger: TriggerState = field(default_factory=TriggerState)
    newest: str = ""


class FlushStates:
    """The states of all sessions, each in a file that names neither the session nor anything said in it."""

    def __init__(self, home: Home) -> None:
        self._folder = home.cache / FOLDER

    def read(self, session: str) -> FlushState | None:
        """The state of a session; None where nobody asked about it yet, or what was kept is no longer whole."""
        try:
            return _from_values(json.loads(self.path(session).read_bytes()))
        except (OSError, ValueError, TypeError, KeyError, ZeroDivisionError):
            return None

    def keep(self, session: str, state: FlushState) -> str:
        """Keep the state of a session; returns a sentence when that fails, "" when it does not."""
        if self.read(session) == state:
            return ""
        try:
            private_folder(self._folder)
            replace_file(self.path(session), json.dumps(_values(state)).encode())
        except (OSError, StoreError) as error:
            why = getattr(error, "strerror", "") or error
            return (
                f"That this was asked cannot be kept in {self._folder} ({why}); the next time counts as the first."
            )
        return ""

    def flushed(self, session: str) -> None:
        """Take in that a prune of the session was tried; what cannot be kept only makes it be asked again."""
        state = self.read(session)
        if state is not None:
            self.keep(session, replace(state, trigger=state.trigger.flushed()))

    def forget(self, sessions: Iterable[str]) -> None:
        """Take the states of these sessions away."""
        for session in sessions:
            self.path(session).unlink(missing_ok=True)

    def path(self, session: str) -> Path:
        """The file of a session."""
        return self._folder / f"{mark(session)}.json"


def mark(id: str) -> str:
    """What stands for an id in these files."""
    return hashlib.sha256(id.encode("utf-8", "surrogatepass")).hexdigest()[:NAME_CHARS]


def _values(state: FlushState) -> dict[str, Any]:
    share = state.trigger.share
    ratio = None if share is None else [share.numerator, share.denominator]
    return {"share": ratio, "rearmed": state.trigger.rearmed, "newest": state.newest}


def _from_values(values: Any) -> FlushState:
    share = None if values["share"] is None else Fraction(*values["share"])
    return FlushState(TriggerState(share, bool(values["rearmed"])), str(values["newest"]))
