"""The application behind the port: Streamable HTTP at /mcp, the older SSE at /sse, and /health."""

from __future__ import annotations

import logging
from collections.abc import Iterator
from typing import TYPE_CHECKING

from mcp.server import streamable_http
from mcp.server.transport_security import TransportSecuritySettings
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import JSONResponse
from starlette.routing import BaseRoute, Route

from prune_mcp.server.http import health as http_health
from prune_mcp.server.http.body import Bodies
from prune_mcp.server.http.events import Events
from prune_mcp.server.http.guard import Guard
from prune_mcp.server.http.stream import Streams, of_connections_at_work

if TYPE_CHECKING:
    from mcp.server import MCPServer
    from starlette.requests import Request

    from prune_mcp.server.http.access import Access
    from prune_mcp.server.http.token import Tokens
    from prune_mcp.server.worker import Worker

MCP_PATH, SSE_PATH = "/mcp", "/sse"
# A byte that is no character becomes one of three.
MOST_GROWTH = 3


def http_app(server: MCPServer[Worker], access: Access, tokens: Tokens, max_body_bytes: int) -> Starlette:
    """What serves this server over HTTP to whom `access` allows; bodies up to so many bytes."""
    logging.getLogger(streamable_http.__name__).addFilter(of_connections_at_work)
    # Hosts, origins and sizes are ours to judge, for every path alike and before anything is read.
    unguarded = TransportSecuritySettings(enable_dns_rebinding_protection=False)
    most = MOST_GROWTH * max_body_bytes
    streamable = server.streamable_http_app(
        streamable_http_path=MCP_PATH, transport_security=unguarded, max_request_body_size=most
    )
    sse = server.sse_app(sse_path=SSE_PATH, transport_security=unguarded, max_request_body_size=most)
    health = Route(http_health.PATH, http_health.health, methods=["GET"])
    app = Starlette(
        routes=[*_with_slash(*streamable.routes, *sse.routes), health],
        middleware=[
            Middleware(Guard, access=access, tokens=tokens, free=(http_health.PATH,)),
            Middleware(Bodies, most=max_body_bytes),
            Middleware(Streams),
            Middleware(Events),
        ],
        exception_handlers={404: _nothing_here},
        lifespan=lambda _: server.session_manager.run(),
    )
    # Behind a proxy with TLS a redirect would lead to the address without.
    app.router.redirect_slashes = False
    return app


def _with_slash(*routes: BaseRoute) -> Iterator[BaseRoute]:
    """The routes, each also with a slash at its end, and none for HEAD: a stream has no end to wait for."""
    for route in routes:
        yield route
        if isinstance(route, Route):
            if route.methods:
                route.methods.discard("HEAD")
            yield Route(f"{route.path}/", route.endpoint, methods=route.methods and [*route.methods])


async def _nothing_here(_: Request, __: Exception) -> JSONResponse:
    why = f"Nothing is served at this path: MCP is at {MCP_PATH}, for older clients at {SSE_PATH}."
    return JSONResponse({"error": why}, 404)
