"""A server over HTTP that stops when it is told to: calls at work may end, streams that only wait are closed."""

from __future__ import annotations

import signal
import socket
from collections.abc import Callable
from typing import TYPE_CHECKING, NoReturn

import uvicorn
from anyio import CancelScope, create_task_group, move_on_after, sleep
from sse_starlette.sse import AppStatus

if TYPE_CHECKING:
    from types import FrameType

    from starlette.types import ASGIApp

    from prune_mcp.server.worker import Worker

# Seconds that a connection stays open between two requests: agents think for longer than browsers wait.
KEEP_ALIVE_SECONDS = 75
# Seconds in which streams that were told to end must have done so.
CLOSING_SECONDS = 2
# Seconds between two looks at whether a person asked again.
HURRIED_SECONDS = 0.1


class StoppingServer(uvicorn.Server):
    """Serves an application on a socket until SIGTERM or SIGINT.

    `worker` does the work of its calls; `ready` is called once it answers.
    """

    def __init__(self, app: ASGIApp, worker: Worker, stop_seconds: int, ready: Callable[[], None]) -> None:
        super().__init__(
            uvicorn.Config(
                app,
                log_config=None,
                log_level="warning",
                access_log=False,
                server_header=False,
                # Who calls through a proxy is told apart by the headers themselves.
                proxy_headers=False,
                ws="none",
                timeout_keep_alive=KEEP_ALIVE_SECONDS,
                timeout_graceful_shutdown=stop_seconds + CLOSING_SECONDS,
            )
        )
        self._worker = worker
        self._stop_seconds = stop_seconds
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Begin to answer, then call `ready`: from then on signals are minded."""
        await super().startup(sockets)
        self._ready()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Take no more connections, let calls end for the seconds given, cancel what is left, and close all."""
        async with create_task_group() as stopping:
            stopping.start_soon(self._end_streams)
            await super().shutdown(sockets)
        if self.force_exit:
            # uvicorn then leaves the application as it is, which tells of it in the log.
            await self.lifespan.shutdown()

    async def _end_streams(self) -> None:
        with move_on_after(self._stop_seconds):
            async with create_task_group() as waiting:
                waiting.start_soon(self._end_if_hurried, waiting.cancel_scope)
                await self._worker.idle()
                waiting.cancel_scope.cancel()
        self._worker.cancel()
        await self._worker.idle()
        AppStatus.should_exit = True

    async def _end_if_hurried(self, waiting: CancelScope) -> None:
        """Wait no longer once SIGINT came again."""
        while not self.force_exit:
            await sleep(HURRIED_SECONDS)
        waiting.cancel()


def run(server: StoppingServer, listening: socket.socket) -> NoReturn:
    """Serve until it is stopped, and end the process well; SIGINT raises KeyboardInterrupt instead."""
    # Else every stream would end at once, with the answers of calls that are at work.
    AppStatus.enable_automatic_graceful_drain = False
    # uvicorn raises the signal that stopped it once more when it is done.
    signal.signal(signal.SIGTERM, _end)
    server.run(sockets=[listening])
    raise SystemExit(0)


def _end(_: int, __: FrameType | None) -> NoReturn:
    raise SystemExit(0)
