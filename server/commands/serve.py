"""`prune-mcp serve`: serve MCP, over standard input and output or over HTTP."""

from __future__ import annotations

import os
from typing import Annotated

import typer

from prune_mcp.server.commands.console import say


def serve(
    address: Annotated[
        str,
        typer.Argument(metavar="HOST:PORT", help="For --http; 127.0.0.1:7786 by default.", show_default=False),
    ] = "",
    http: Annotated[
        bool, typer.Option("--http", help="Serve over HTTP: Streamable HTTP at /mcp, SSE at /sse.")
    ] = False,
    allow_host: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="A name or address under which others call it; repeatable. Clients then need a token.",
        ),
    ] = None,
    require_token: Annotated[
        bool, typer.Option("--require-token", help="Ask clients of this machine for a token as well.")
    ] = False,
) -> int:
    """Serve MCP: on stdin and stdout, or with --http on a port.

    On this machine's own address no token is needed. At any other address, or under any other name, each client
    sends a token that `prune-mcp token make` made: Authorization: Bearer TOKEN.
    """
    if not http:
        if address or allow_host or require_token:
            raise typer.BadParameter("an address, --allow-host and --require-token go with --http")
        from prune_mcp.server.app import serve as serve_stdio

        return serve_stdio()
    from prune_mcp.engine.settings import load
    from prune_mcp.server.http.address import CannotServe, parse_address
    from prune_mcp.server.http.server import serve_http
    from prune_mcp.storage.home import home

    try:
        at = parse_address(address)
    except CannotServe as error:
        raise typer.BadParameter(str(error)) from error
    settings, wrong = load(os.environ, home(os.environ))
    for sentence in wrong:
        say(f"prune-mcp: {sentence}")
    try:
        serve_http(at, allow_host or [], require_token, settings.http)
    except CannotServe as error:
        say(f"prune-mcp: {error}")
        return 1
