"""The server at the other end of a pipe: asked without waiting, and killed at any moment."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from queue import SimpleQueue
from threading import Thread
from typing import Any

from tests.acceptance.product import Product

HELLO = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}}


class Pipe:
    """A server at the other end of a pipe, for a client that does not wait for answers."""

    def __init__(self, process: subprocess.Popen[str]) -> None:
        self.process = process
        self._lines: SimpleQueue[str] = SimpleQueue()
        self._reader = Thread(target=self._read)
        self._reader.start()

    def kill(self) -> None:
        """End the server as `kill -9` does; what it said before can still be read."""
        self.process.kill()
        self._reader.join()

    def send(self, id: int, method: str, params: dict[str, Any]) -> None:
        """Send one request."""
        assert self.process.stdin is not None
        request = {"jsonrpc": "2.0", "id": id, "method": method, "params": params}
        self.process.stdin.write(json.dumps(request) + "\n")
        self.process.stdin.flush()

    def prune(self, id: int, **arguments: Any) -> None:
        """Ask for one prune."""
        self.send(id, "tools/call", {"name": "prune_context", "arguments": arguments})

    def answers(self) -> Iterator[tuple[int, dict[str, Any]]]:
        """The answers as they come, by the id of their request; a torn one is none."""
        while (line := self._lines.get()).endswith("\n"):
            answer = json.loads(line)
            if "id" in answer:
                yield answer["id"], answer["result"]

    def _read(self) -> None:
        """Take what the server says at once: it may be asked faster than anybody listens."""
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line)
        self._lines.put("")


@contextmanager
def pipe(product: Product) -> Iterator[Pipe]:
    """A server, its handshake done, that is killed in the end if it was not before."""
    process = subprocess.Popen(
        [*product.program],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        env=product.environment,
        encoding="utf-8",
    )
    with process:
        server = Pipe(process)
        try:
            server.send(0, "initialize", HELLO)
            next(server.answers())
            yield server
        finally:
            server.kill()
