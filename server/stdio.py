"""Serving over standard input and output: each line in is one message."""

from __future__ import annotations

import os
from io import TextIOWrapper

from anyio import AsyncFile
from mcp.server import MCPServer
from mcp.server.stdio import stdio_server

from prune_mcp.server.incoming import valid
from prune_mcp.server.stdio_refusal import Refusing
from prune_mcp.server.worker import Worker


class StdioServer(MCPServer[Worker]):
    """A server that answers requests with lone surrogates too, reading U+FFFD in their place."""

    async def run_stdio_async(self) -> None:
        """Serve over stdin and stdout until stdin ends."""
        lines = ValidLines(private_stdin())
        async with stdio_server(stdin=lines) as (read, write):
            options = self._lowlevel_server.create_initialization_options()
            await self._lowlevel_server.run(Refusing(read, write, lines), write, options)


class ValidLines(AsyncFile[str]):
    """Lines of JSON in which no escape stands for a lone surrogate; `latest` is the one that was read last."""

    latest = ""

    async def readline(self) -> str:
        """The next line, "" at the end."""
        self.latest = valid(await super().readline())
        return self.latest


def private_stdin() -> TextIOWrapper:
    """Stdin on a descriptor of its own; the standard one is empty from now on, so that no child takes a line."""
    wire = os.dup(0)
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    # A thread may still wait on the descriptor when the server ends, so it is never closed.
    return TextIOWrapper(os.fdopen(wire, "rb", closefd=False), encoding="utf-8", errors="replace")
