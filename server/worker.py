"""The one engine of a server: made by the first call, its blocking work done in a thread."""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import TYPE_CHECKING, TypeVar

from anyio import from_thread, to_thread

if TYPE_CHECKING:
    from mcp.server.mcpserver import Context

    from prune_mcp.engine.archive import Progress
    from prune_mcp.engine.engine import Engine

T = TypeVar("T")


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

    async def run(self, work: Callable[[Engine], T]) -> T:
        """The result of `work`, done in a thread; raises what it raises."""
        engine = self._engine = self._engine or self._open()
        return await to_thread.run_sync(work, engine, abandon_on_cancel=True)

    def close(self) -> None:
        """Close the engine if a call made it."""
        if self._engine is not None:
            self._engine.close()
            self._engine = None


def reporter(ctx: Context[Worker]) -> Progress:
    """A progress function for the worker's thread; it ends the work when the call was cancelled."""

    def report(done: float, total: float, message: str) -> None:
        from_thread.check_cancelled()
        from_thread.run(ctx.report_progress, done, total, message)

    return report
