"""The engine: every use case as one method, on one store. Also the public Python API."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from prune_mcp.engine.answers import PruneAnswer, RecoverAnswer, TreeAnswer
from prune_mcp.engine.due.desk import DueDesk
from prune_mcp.engine.summaries.run import summarized

if TYPE_CHECKING:
    from prune_mcp.engine.collapse.collapse import CollapseAnswer
    from prune_mcp.engine.listing import SessionRow
    from prune_mcp.engine.prune.archive import Progress
    from prune_mcp.engine.stats import Stats
    from prune_mcp.engine.summaries.run import Summarize
    from prune_mcp.engine.usage.answer import UsageAnswer


class Engine(DueDesk):
    """Prune, collapse, weigh, recover and list sessions; calls take turns, but for those of `past`."""

    def prune_messages(
        self,
        payload: object,
        *,
        format: str | None = None,
        session: str | None = None,
        keep_turns: int | None = None,
        note: str = "",
        dry_run: bool = False,
        summarize: Summarize = None,
        progress: Progress | None = None,
    ) -> PruneAnswer:
        """Prune a message array or a whole request body; the answer's `messages` has the same shape.

        Calls of the newest turn may still wait for their results. A dry run returns equal messages. With
        `summarize` a model's words stand for outputs, not digests; other calls go on while it writes.

        Raises:
            SessionError: the payload is no conversation that can be read.
            StoreError: the store cannot be read or written.
        """
        from prune_mcp.engine.prune.prune import prune_array
        from prune_mcp.engine.prune.shape import shape
        from prune_mcp.sessions.messages.open import open_messages

        request = self._request(keep_turns, note, dry_run, whole=False, progress=progress)

        def attempt() -> PruneAnswer:
            with self._lock:
                pruned, messages = prune_array(self.store, open_messages(payload, format, session), request)
                answer = shape(pruned, request, self._settings_wrong)
                answer.diagnostics += self._over_quota()
                answer.messages = messages
                self._flushed(answer.session, dry_run)
                return answer

        return summarized(attempt, request, summarize, self)

    def prune_transcript(
        self,
        path: Path,
        *,
        keep_turns: int | None = None,
        note: str = "",
        dry_run: bool = False,
        render: bool = False,
        summarize: Summarize = None,
        progress: Progress | None = None,
    ) -> PruneAnswer:
        """Prune a session on disk: the plan is recorded, the file stays as it is.

        With `render` the answer's `messages` is an iterator over the pruned entries in the transcript's own
        format, to be used up before the next call. `summarize` as for `prune_messages`.

        Raises:
            SessionError: the file is no session, or cannot be read.
            StoreError: the store cannot be read or written.
        """
        from prune_mcp.engine.prune.prune import prune
        from prune_mcp.engine.prune.shape import shape
        from prune_mcp.engine.summaries.summaries import Unanswered

        request = self._request(keep_turns, note, dry_run, whole=render, progress=progress)

        def attempt() -> PruneAnswer:
            with self._lock:
                transcript, memory = self._transcript(path)
                try:
                    pruned, memory = prune(self.store, transcript, memory, request)
                except Unanswered as open:
                    self._open[path] = (transcript, open.memory)
                    raise
                self._open[path] = (transcript, memory)
                answer = shape(pruned, request, self._settings_wrong)
                answer.diagnostics += self._over_quota()
                if render:
                    answer.messages = transcript.render(pruned.view)
                self._flushed(answer.session, dry_run)
                return answer

        return summarized(attempt, request, summarize, self)

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
        charged: bool = True,
    ) -> RecoverAnswer:
        """The originals behind refs or tool-call ids: whole, a page, lines, or lines that match.

        Sizes are characters; `budget` bounds the whole answer (the setting `answer_chars` by default). `charged`:
        the answer goes into a context, and so into the ledger.

        Raises:
            UnknownRef: none of the refs is known.
            AmbiguousRef: a bare ref that several sessions could mean.
            StoreError: the store cannot be read.
        """
        from prune_mcp.engine.recovery.recover import recover

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
                charged=charged,
            )

    def tree(self, session: str | None, *, limit: int | None = None, cursor: str | None = None) -> TreeAnswer:
        """The tree of what was pruned in a session.

        Raises:
            EngineError: no such session in the store, or a cursor that is not one of ours.
        """
        from prune_mcp.engine.recovery.tree import tree

        with self._lock:
            return tree(self.store, session, limit=limit, cursor=cursor)

    def stats(self, session: str | None = None) -> Stats:
        """The ledger of one session (its id, or the beginning of one) or of all, their sum, and the space on disk.

        Raises:
            EngineError: no session, or several, begin so.
            StoreError: the store cannot be read.
        """
        from prune_mcp.engine.stats import stats
        from prune_mcp.storage.home import home

        quota, purged = self.settings.quota_bytes, self.settings.prune.purge_errors
        with self._lock:
            return stats(self.store, home(self._env), session, quota=quota, purged=purged)

    def sessions(self, notes: list[str] | None = None) -> list[SessionRow]:
        """Every session on this machine and in the store, the latest written first.

        `notes`: takes a sentence on why only those on disk are told, where the store cannot be read.

        Raises:
            StoreNewer: a newer version wrote the store.
            StoreError: the store cannot be read, and there are no `notes` to say so.
        """
        from prune_mcp.engine.listing import listing

        with self._lock:
            return listing(self.store, self._env, notes)

    def collapse_messages(
        self,
        payload: object,
        *,
        turns: int = 1,
        format: str | None = None,
        session: str | None = None,
        progress: Progress | None = None,
    ) -> CollapseAnswer:
        """Collapse the newest finished exchanges of messages passed in; the answer's `messages` has their shape.

        Raises:
            SessionError: the payload is no conversation that can be read.
            EngineError: there is no finished exchange.
            StoreError: the store cannot be read or written.
        """
        from prune_mcp.engine.collapse.collapse import collapse_messages
        from prune_mcp.sessions.messages.open import open_messages

        with self._lock:
            conversation = open_messages(payload, format, session)
            request = self._request(whole=False, progress=progress)
            return collapse_messages(self.store, conversation, request, turns, self._settings_wrong)

    def collapse_transcript(
        self, path: Path, *, turns: int = 1, render: bool = False, progress: Progress | None = None
    ) -> CollapseAnswer:
        """Collapse the newest finished exchanges of a session on disk, in its plan; the file stays as it is.

        With `render` the answer's `messages` is an iterator over the entries of the view, to be used up before the
        next call.

        Raises:
            SessionError: the file is no session, or cannot be read.
            EngineError: there is no finished exchange.
            StoreError: the store cannot be read or written.
        """
        from prune_mcp.engine.collapse.collapse import collapse_session

        with self._lock:
            transcript, memory = self._transcript(path)
            request = self._request(whole=render, progress=progress)
            answer, pruned, memory = collapse_session(
                self.store, transcript, memory, request, turns, self._settings_wrong
            )
            self._open[path] = (transcript, memory)
            if render:
                answer.messages = transcript.render(pruned.view)
            return answer

    def usage_messages(
        self, payload: object, *, session: str | None = None, progress: Progress | None = None
    ) -> UsageAnswer:
        """What fills the context, of a message array or a whole request body. Where the store cannot be used, a
        note says so, and nothing is archived.

        Raises:
            SessionError: the payload is no conversation that can be read.
            StoreError: the store cannot be read or written.
        """
        from prune_mcp.engine.usage.unkept import usage_anyway
        from prune_mcp.sessions.messages.open import open_messages

        with self._lock:
            conversation = open_messages(payload, session=session)
            request = self._usage_request(payload, progress)
            answer, memory = usage_anyway(self.store, conversation, None, request)
            # Whether it is due depends on what the store knows of it.
            answer.due = self._due_now(conversation, answer) if memory else ""
            return answer

    def usage_transcript(self, path: Path, *, progress: Progress | None = None) -> UsageAnswer:
        """What fills the context of a session on disk; see `usage_messages`.

        Raises:
            SessionError: the file is no session, or cannot be read.
            StoreError: the store cannot be read or written.
        """
        from prune_mcp.engine.usage.unkept import usage_anyway

        with self._lock:
            transcript, memory = self._transcript(path)
            request = self._usage_request(progress=progress)
            answer, memory = usage_anyway(self.store, transcript, memory, request)
            answer.due = self._due_now(transcript, answer) if memory else ""
            self._open[path] = (transcript, memory)
            return answer
