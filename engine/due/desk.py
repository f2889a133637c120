"""Asking whether sessions are due to be pruned: what is kept of each asking, and the settings' triggers."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, TypedDict, Unpack

from prune_mcp.engine.desk import Desk

if TYPE_CHECKING:
    from prune_mcp.engine.due.due import Due, DueRequest
    from prune_mcp.engine.due.flush_state import FlushStates
    from prune_mcp.engine.usage.answer import UsageAnswer
    from prune_mcp.pruning.triggers import Moment
    from prune_mcp.sessions.model import Conversation


class DueOptions(TypedDict, total=False):
    """What a caller may tell beside the session; see `DueRequest`."""

    moment: Moment | None
    tokens: int | None
    window: int | None
    keep_turns: int | None
    reloaded: bool
    looking: bool


class DueDesk(Desk):
    """A desk that is asked whether sessions are due to be pruned."""

    @property
    def flush_states(self) -> FlushStates:
        """What is kept of each session between two askings whether it is due to be pruned."""
        from prune_mcp.engine.due.flush_state import FlushStates
        from prune_mcp.storage.home import home

        return FlushStates(home(self._env))

    def due_transcript(self, path: Path, **options: Unpack[DueOptions]) -> Due:
        """Whether the triggers of the settings would have a session on disk pruned now; nothing is pruned.

        For callers that know when a turn (`moment`) or an exchange ends, once at each; None for what the session
        itself says. `tokens` in the context and the model's `window`, where the caller knows better than the
        session tells. `reloaded`: the session was just started or loaded, or went to another branch. The asking
        is kept in the cache folder, so that a later process counts on from it; not so while only `looking`, where
        all that could be pruned counts as new.

        Raises:
            SessionError: the file is no session, or cannot be read.
            StoreError: the store cannot be read.
        """
        request = self._due_request(options)
        with self._lock:
            transcript, memory = self._transcript(path)
            told = self._due(transcript, request)
            self._open[path] = (transcript, memory)
            return told

    def due_messages(
        self,
        payload: object,
        *,
        format: str | None = None,
        session: str | None = None,
        **options: Unpack[DueOptions],
    ) -> Due:
        """The same for a message array or a whole request body, whose `model` tells the window.

        Raises:
            SessionError: the payload is no conversation that can be read.
            StoreError: the store cannot be read.
        """
        from prune_mcp.sessions.messages.open import open_messages

        request = self._due_request(options, payload)
        with self._lock:
            return self._due(open_messages(payload, format, session), request)

    def _due(self, conversation: Conversation, request: DueRequest) -> Due:
        from prune_mcp.engine.due.due import due

        states, session = self.flush_states, conversation.session
        told, state = due(self.store, conversation, states.read(session), request)
        if not request.looking and (wrong := states.keep(session, state)):
            told.notes.append(wrong)
        return told

    def _due_now(self, conversation: Conversation, answer: UsageAnswer) -> str:
        """Why a prune is due of a context that was weighed, "" where it is not."""
        request = self._due_request({"tokens": answer.total, "window": answer.window or 0, "looking": True})
        trigger = self._due(conversation, request).trigger
        return trigger.reason if trigger else ""

    def _flushed(self, session: str, dry_run: bool) -> None:
        if not dry_run:
            self.flush_states.flushed(session)

    def _due_request(self, options: DueOptions, payload: object = None) -> DueRequest:
        from prune_mcp.engine.due.due import DueRequest

        settings = self.settings
        model = payload.get("model") if isinstance(payload, dict) else None
        named = model if isinstance(model, str) else ""
        return DueRequest(settings.prune, settings.triggers, settings.usage, model=named, **options)
