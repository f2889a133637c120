"""Serving MCP over HTTP: the address, who may call, the message that tells how, and the server's run."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from importlib.metadata import version
from typing import TYPE_CHECKING, NoReturn

from prune_mcp.server.commands.console import say
from prune_mcp.server.http.access import Access, access
from prune_mcp.server.http.address import Address, listen
from prune_mcp.server.http.token import Tokens
from prune_mcp.server.worker import open_engine

if TYPE_CHECKING:
    from prune_mcp.engine.engine import Engine
    from prune_mcp.engine.http_options import HttpOptions

# Of the addresses that mean every one of this machine.
EVERYWHERE = ("0.0.0.0", "::")


def serve_http(
    address: Address,
    hosts: Sequence[str],
    token_needed: bool,
    options: HttpOptions,
    open: Callable[[], Engine] = open_engine,
) -> NoReturn:
    """Serve at this address until SIGTERM, which ends the process; the first call opens the engine with `open`.

    `hosts`: the names beside this machine's own to be called by.

    Raises:
        CannotServe: not so; the message says why.
        KeyboardInterrupt: SIGINT stopped it.
    """
    from prune_mcp.storage.home import home

    tokens = Tokens(home(os.environ))
    allowed = access(address, hosts, token_needed, tokens)
    listening = listen(address)
    # After all that can fail: the SDK takes most of a second.
    from prune_mcp.server.app import make_server
    from prune_mcp.server.http.app import http_app
    from prune_mcp.server.http.stop import StoppingServer, run

    server = make_server(open)
    app = http_app(server, allowed, tokens, options.max_body_bytes)
    told = greeting(Address(address.host, listening.getsockname()[1]), allowed)
    run(StoppingServer(app, server.worker, options.stop_seconds, lambda: say(told)), listening)


def greeting(address: Address, allowed: Access) -> str:
    """What the person is told: where it serves, how to connect, what to mind."""
    name = min(allowed.hosts, default=address.host) if address.host in EVERYWHERE else address.host
    url = f"http://{Address(name, address.port)}"
    token = ' --header "Authorization: Bearer $TOKEN"' if allowed.token_needed else ""
    lines = [
        f"prune-mcp {version('prune-mcp')} serves MCP at {url}/mcp (for older clients: {url}/sse)",
        f"connect, for example: claude mcp add --transport http prune {url}/mcp{token}",
    ]
    if allowed.token_needed:
        lines.append("every client needs a token: `prune-mcp token make` makes one")
    if not address.loopback:
        lines.append("nothing is encrypted here: across networks you do not trust, put a proxy with TLS before it")
    return "\n".join([*lines, "Ctrl-C stops it"])
