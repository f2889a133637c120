"""The one engine of a server: made by the first call, shared by all connections, its work done in threads."""

from __future__ import annotations

import os
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, TypeVar

from anyio import CancelScope, CapacityLimiter, from_thread, move_on_after, sleep, to_thread

if TYPE_CHECKING:
    from mcp.server.mcpserver import Context

    from prune_mcp.engine.engine import Engine
    from prune_mcp.engine.past import PastSessions
    from prune_mcp.engine.prune.archive import Progress

T = TypeVar("T")

# Calls that have a thread, of those that take turns and of those that look into the past; the others wait without
# one. Threads share one interpreter, so that few of them get more done than many.
MOST_IN_TURN, MOST_LOOKING = 8, 6
# Seconds that closing may take, and that one progress report may: a client that reads nothing holds up nobody.
CLOSE_SECONDS = 5.0
REPORT_SECONDS = 1.0
# Seconds without work after which a server is taken to be idle: an answer is written right after its work.
QUIET_SECONDS = 0.1


def open_engine() -> Engine:
    """An engine for this process's environment; imports what the start of the server does not need."""
    from prune_mcp.engine.engine import Engine

    return Engine(os.environ)


class Worker:
    """Runs work on the engine in threads; the engine itself lets calls take turns.

    A cancelled call answers at once; its thread stops at the next progress report, or runs to its end: what
    it archives is worth keeping, and what it decides is written in one transaction or not at all.
    """

    def __init__(self, open: Callable[[], Engine] = open_engine) -> None:
        self._open = open
        self._engine: Engine | None = None
        self._in_turn = CapacityLimiter(MOST_IN_TURN)
        self._looking = CapacityLimiter(MOST_LOOKING)
        # Whether a call was looked for in all sessions, and waited for, and was in none.
        self.waited_in_vain = False
        self._users = 0
        self._at_work: set[CancelScope] = set()

    @asynccontextmanager
    async def entered(self) -> AsyncIterator[Worker]:
        """In use by a connection, or by all of a transport; the last to leave closes the engine."""
        self._users += 1
        try:
            yield self
        finally:
            self._users -= 1
            if not self._users:
                await self._close()

    async def run(self, work: Callable[[Engine], T]) -> T:
        """The result of `work`, done in a thread; raises what it raises."""
        engine = self._opened()
        return await self._in_thread(lambda: work(engine), self._in_turn)

    async def look(self, work: Callable[[PastSessions], T]) -> T:
        """As `run`, for past sessions: this waits for no call that works on a session."""
        engine = self._opened()
        return await self._in_thread(lambda: work(engine.past), self._looking)

    async def idle(self) -> None:
        """Wait until no call is at work."""
        while self._at_work:
            await sleep(QUIET_SECONDS / 2)
            if not self._at_work:
                await sleep(QUIET_SECONDS)

    def cancel(self) -> None:
        """End all calls that are at work with an error that says so."""
        for scope in self._at_work:
            scope.cancel()

    def _opened(self) -> Engine:
        engine = self._engine = self._engine or self._open()
        return engine

    async def _in_thread(self, work: Callable[[], T], limiter: CapacityLimiter) -> T:
        with CancelScope() as scope:
            self._at_work.add(scope)
            try:
                return await to_thread.run_sync(work, abandon_on_cancel=True, limiter=limiter)
            finally:
                self._at_work.discard(scope)
        from prune_mcp.engine.answers import EngineError

        raise EngineError(
            "The server was stopped before this was done. What was archived by then is kept; call again."
        )

    async def _close(self) -> None:
        """Close the engine if a call made it; an abandoned call may hold it for longer than is waited."""
        engine, self._engine = self._engine, None
        if engine is not None:
            with move_on_after(CLOSE_SECONDS, shield=True):
                await to_thread.run_sync(engine.close, abandon_on_cancel=True)


def reporter(ctx: Context[Worker]) -> Progress:
    """A progress function for the worker's thread; it ends the work when the call was cancelled."""

    async def tell(done: float, total: float, message: str) -> None:
        with move_on_after(REPORT_SECONDS):
            await ctx.report_progress(done, total, message)

    def report(done: float, total: float, message: str) -> None:
        from_thread.check_cancelled()
        from_thread.run(tell, done, total, message)

    return report
