"""A server, over stdio or HTTP, whose prunes last until they are released at a gate.

The command line is `GATE [--http HOST:PORT [SECONDS]]`, with the port of a `Gate`.
"""

from __future__ import annotations

import os
import select
import socket
import sys
from pathlib import Path
from typing import Any

from prune_mcp.engine.answers import PruneAnswer
from prune_mcp.engine.engine import Engine
from prune_mcp.engine.http_options import HttpOptions

STOP_SECONDS = 1
TELLS_SECONDS = 0.01
# What goes through the gate.
STARTED, RELEASE, ENDED = b"s", b"r", b"e"


class SlowEngine(Engine):
    """An engine that holds its lock while a slow prune lasts."""

    gate: int

    def prune_transcript(self, path: Path, **options: Any) -> PruneAnswer:
        """Report progress until released."""
        with self._lock, socket.create_connection(("127.0.0.1", self.gate)) as gate:
            gate.sendall(STARTED)
            try:
                while not select.select([gate], [], [], TELLS_SECONDS)[0]:
                    options["progress"](1, 2, "archiving outputs")
            finally:
                gate.sendall(ENDED)
        return PruneAnswer("advisory", "no-lever", "", "s-slow", 100, 40, None, summary="released at last")


def open_slow() -> Engine:
    """The engine, with the gate that the command line names."""
    engine = SlowEngine(os.environ)
    engine.gate = int(sys.argv[1])
    return engine


def main() -> None:
    """Serve as the command line says."""
    if "--http" not in sys.argv:
        from prune_mcp.server.app import make_server

        make_server(open_slow).run()
        return
    from prune_mcp.server.http.address import parse_address
    from prune_mcp.server.http.server import serve_http

    seconds = int(sys.argv[4]) if len(sys.argv) > 4 else STOP_SECONDS
    try:
        serve_http(parse_address(sys.argv[3]), [], False, HttpOptions(stop_seconds=seconds), open_slow)
    except KeyboardInterrupt:
        # As the command does.
        raise SystemExit(130) from None


if __name__ == "__main__":
    main()
