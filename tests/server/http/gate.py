"""Where a test meets the prunes of a slow server: it hears that one began or ended, and lets it end."""

from __future__ import annotations

import socket
from typing import Self

from anyio import to_thread

from tests.server.http import slow_server
from tests.server.http.slow_server import ENDED, RELEASE, STARTED

MEETS_WITHIN = 30


class Gate:
    """Waits for one prune of the server that `program` is; each wait has its end."""

    def __init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._listener.settimeout(MEETS_WITHIN)
        self._prune: socket.socket | None = None
        port = self._listener.getsockname()[1]
        # The server's program, with the command line that it needs.
        self.program = slow_server.__file__, str(port)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._listener.close()
        if self._prune:
            self._prune.close()

    async def started(self) -> None:
        """Wait until a prune is at work."""
        prune, _ = await to_thread.run_sync(self._listener.accept)
        prune.settimeout(MEETS_WITHIN)
        self._prune = prune
        await self._hear(STARTED)

    async def ended(self) -> None:
        """Wait until that prune has ended."""
        await self._hear(ENDED)

    def release(self) -> None:
        """Let that prune end."""
        assert self._prune
        self._prune.sendall(RELEASE)

    async def _hear(self, said: bytes) -> None:
        assert self._prune
        assert await to_thread.run_sync(self._prune.recv, 1) == said
