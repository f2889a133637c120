"""The engine: every use case as one method, on one store. Also the public Python API."""

from __future__ import annotations

import threading
from collections import OrderedDict
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from prune_mcp.engine.answers import PruneAnswer, RecoverAnswer, TreeAnswer
from prune_mcp.engine.settings import Settings
from prune_mcp.storage.protocol import Store

if TYPE_CHECKING:
    from prune_mcp.engine.archive import Progress
    from prune_mcp.engine.listing import SessionRow
    from prune_mcp.engine.memory import Memory
    from prune_mcp.engine.past import PastSessions
    from prune_mcp.engine.prune import Request
    from prune_mcp.sessions.reader import Reader

# Transcripts kept open between calls, so that a second prune costs only what was appended.
OPEN_TRANSCRIPTS = 4


class Engine:
    """Prune, recover and list sessions. Opens nothing before it is used; calls take turns.

    `env` is the environment that settings, the store's place and the hosts' folders are read from.
    `settings_wrong`: sentences about `settings` for the diagnostics of each prune.
    """

    def __init__(
        self, env: Mapping[str, str], *, settings: Settings | None = None, settings_wrong: Sequence[str] = ()
    ) -> None:
        self._env = env
        self._settings = settings
        self._settings_wrong = settings_wrong
        self._store: Store | None = None
        self._past: PastSessions | None = None
        self._lock = threading.RLock()
        self._past_lock = threading.Lock()
        self._open: OrderedDict[Path, tuple[Reader, Memory | None]] = OrderedDict()

    @property
    def settings(self) -> Settings:
        """The settings in force, read when first needed."""
        if self._settings is None:
            from prune_mcp.engine.settings import keep, load
            from prune_mcp.storage.home import home

            place = home(self._env)
            self._settings, wrong = load(self._env, place)
            self._settings_wrong = wrong + keep(self._settings, place)
        return self._settings

    @property
    def store(self) -> Store:
        """The store, opened when first needed."""
        if self._store is None:
            from prune_mcp.storage.home import home
            from prune_mcp.storage.sqlite import open_store

            self._store = open_store(home(self._env))
        return self._store

    @property
    def past(self) -> PastSessions:
        """Past sessions, to be searched and read; these calls take no turns with the others."""
        from prune_mcp.engine.past import PastSessions

        with self._past_lock:
            if self._past is None:
                self._past = PastSessions(self._env, background=self.settings.background_index)
            return self._past

    def prune_messages(
        self,
        payload: object,
        *,
        format: str | None = None,
        session: str | None = None,
        keep_turns: int | None = None,
        note: str = "",
        dry_run: bool = False,
    ) -> PruneAnswer:
        """Prune a message array or a whole request body; the answer's `messages` has the same shape.

        Calls of the newest turn may still wait for their results. A dry run returns equal messages.

        Raises:
            SessionError: the payload is no conversation that can be read.
            StoreError: the store cannot be read or written.
        """
        from prune_mcp.engine.prune import prune_array
        from prune_mcp.engine.shape import shape
        from prune_mcp.sessions.messages.open import open_messages

        with self._lock:
            conversation = open_messages(payload, format, session)
            request = self._request(keep_turns, note, dry_run, whole=False)
            pruned, messages = prune_array(self.store, conversation, request)
            answer = shape(pruned, request, self._settings_wrong)
            answer.messages = messages
            return answer

    def prune_transcript(
        self,
        path: Path,
        *,
        keep_turns: int | None = None,
        note: str = "",
        dry_run: bool = False,
        render: bool = False,
        progress: Progress | None = None,
    ) -> PruneAnswer:
        """Prune a session on disk: the plan is recorded, the file stays as it is.

        With `render` the answer's `messages` is an iterator over the pruned entries in the transcript's own
        format, to be used up before the next call.

        Raises:
            SessionError: the file is no session, or cannot be read.
            StoreError: the store cannot be read or written.
        """
        from prune_mcp.engine.prune import prune
        from prune_mcp.engine.shape import shape

        with self._lock:
            transcript, memory = self._transcript(path)
            request = self._request(keep_turns, note, dry_run, whole=render)
            request.progress = progress
            pruned, memory = prune(self.store, transcript, memory, request)
            self._open[path] = (transcript, memory)
            answer = shape(pruned, request, self._settings_wrong)
            if render:
                answer.messages = transcript.render(pruned.view)
            return answer

    def recover(
        self,
        refs: Sequence[str],
        *,
        session: str | None = None,
        lines: str | None = None,
        pattern: str | None = None,
        context: int = 0,
        offset: int | None = None,
        limit: int | None = None,
        cursor: str | None = None,
        budget: int | None = None,
    ) -> RecoverAnswer:
        """The originals behind refs or tool-call ids: whole, a page, lines, or lines that match.

        Sizes are characters; `budget` bounds the whole answer (the setting `answer_chars` by default).

        Raises:
            UnknownRef: none of the refs is known.
            AmbiguousRef: a bare ref that several sessions could mean.
            StoreError: the store cannot be read.
        """
        from prune_mcp.engine.recover import recover

        with self._lock:
            return recover(
                self.store,
                refs,
                session=session,
                lines=lines,
                pattern=pattern,
                context=context,
                offset=offset,
                limit=limit,
                cursor=cursor,
                budget=self.settings.answer_chars if budget is None else budget,
            )

    def tree(self, session: str | None, *, limit: int | None = None, cursor: str | None = None) -> TreeAnswer:
        """The tree of what was pruned in a session.

        Raises:
            EngineError: no such session in the store, or a cursor that is not one of ours.
        """
        from prune_mcp.engine.tree import tree

        with self._lock:
            return tree(self.store, session, limit=limit, cursor=cursor)

    def sessions(self) -> list[SessionRow]:
        """Every session on this machine and in the store, the latest written first."""
        from prune_mcp.engine.listing import listing

        with self._lock:
            return listing(self.store, self._env)

    def close(self) -> None:
        """Close the store and let go of open transcripts."""
        with self._lock:
            self._open.clear()
            if self._past is not None:
                self._past.close()
            if self._store is not None:
                self._store.close()

    def _request(self, keep_turns: int | None, note: str, dry_run: bool, *, whole: bool) -> Request:
        from prune_mcp.engine.prune import Request

        options = self.settings.prune
        return Request(options, note=note, keep_turns=keep_turns, dry_run=dry_run, whole=whole)

    def _transcript(self, path: Path) -> tuple[Reader, Memory | None]:
        """The transcript as it is now, with what an earlier prune in this process left of it."""
        from prune_mcp.sessions.transcript import open_transcript

        kept = self._open.pop(path, None)
        while len(self._open) >= OPEN_TRANSCRIPTS:
            self._open.popitem(last=False)
        if kept is None:
            return open_transcript(path), None
        transcript, memory = kept
        generation = transcript.generation
        transcript.refresh()
        return transcript, memory if transcript.generation == generation else None
