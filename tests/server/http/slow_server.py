"""A server, over stdio or HTTP, whose prunes last until a file tells them to end.

The command line is `FOLDER [--http HOST:PORT [SECONDS]]`. In the folder: `started` and `ended` are written by a
prune, `release` lets it answer.
"""

from __future__ import annotations

import os
import sys
import time
from pathlib import Path
from typing import Any

from prune_mcp.engine.answers import PruneAnswer
from prune_mcp.engine.engine import Engine
from prune_mcp.engine.http_options import HttpOptions

STOP_SECONDS = 1


class SlowEngine(Engine):
    """An engine that holds its lock while a slow prune lasts."""

    folder: Path

    def prune_transcript(self, path: Path, **options: Any) -> PruneAnswer:
        """Report progress until released."""
        with self._lock:
            try:
                while not (self.folder / "release").exists():
                    options["progress"](1, 2, "archiving outputs")
                    (self.folder / "started").touch()
                    time.sleep(0.01)
            finally:
                (self.folder / "ended").touch()
        return PruneAnswer("advisory", "no-lever", "", "s-slow", 100, 40, None, summary="released at last")


def open_slow() -> Engine:
    """The engine, on the folder that the command line names."""
    engine = SlowEngine(os.environ)
    engine.folder = Path(sys.argv[1])
    return engine


def main() -> None:
    """Serve as the command line says."""
    if "--http" not in sys.argv:
        from prune_mcp.server.app import make_server

        make_server(open_slow).run()
        return
    from prune_mcp.server.http import serve_http
    from prune_mcp.server.http_address import parse_address

    seconds = int(sys.argv[4]) if len(sys.argv) > 4 else STOP_SECONDS
    serve_http(parse_address(sys.argv[3]), [], False, HttpOptions(stop_seconds=seconds), open_slow)


if __name__ == "__main__":
    main()
