"""Stands before all that is served over HTTP: foreign hosts and origins, and calls without a token, end here."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from mcp.server.auth.middleware.bearer_auth import AuthenticatedUser
from mcp.server.auth.provider import AccessToken
from starlette.datastructures import Headers
from starlette.responses import JSONResponse

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

    from prune_mcp.server.http.access import Access
    from prune_mcp.server.http.token import Tokens

# A request that has one of these came through a proxy: whoever sent it need not be on this machine.
FORWARDED = ("forwarded", "x-forwarded-for", "x-forwarded-host", "x-real-ip", "cf-connecting-ip")
BEARER = "bearer "


class Guard:
    """Lets through what `access` allows; `free`: paths for which no token is needed."""

    def __init__(self, app: ASGIApp, access: Access, tokens: Tokens, free: Sequence[str] = ()) -> None:
        self._app = app
        self._access = access
        self._tokens = tokens
        self._free = free

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer the request, or refuse it: 421 for its host, 403 for its origin, 401 for its token."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        refusal = self._refusal(scope)
        await (refusal or self._app)(scope, receive, send)

    def _refusal(self, scope: Scope) -> JSONResponse | None:
        headers = Headers(scope=scope)
        hosts, origins = headers.getlist("host"), headers.getlist("origin")
        if len(hosts) != 1 or not self._access.allows_host(hosts[0]):
            return _refused(421, "This server is not to be called under this host; `--allow-host` adds one.")
        if not all(map(self._access.allows_origin, origins)):
            return _refused(403, "Pages of this origin may not call this server.")
        forwarded = any(name in headers for name in FORWARDED)
        if scope["path"] in self._free or not (self._access.token_needed or forwarded):
            return None
        return self._unknown(scope, headers.get("authorization", ""))

    def _unknown(self, scope: Scope, authorization: str) -> JSONResponse | None:
        """The refusal of who has no token that counts; who has one is told to the transports."""
        if not authorization.lower().startswith(BEARER):
            return _refused(401, "This server needs a token: `prune-mcp token make` makes one.", "Bearer")
        token = authorization[len(BEARER) :].strip()
        id = self._tokens.id_of(token)
        if not id:
            return _refused(401, "This token does not count, or no more.", 'Bearer error="invalid_token"')
        # A transport lets only the token that opened a connection use it.
        scope["user"] = AuthenticatedUser(AccessToken(token=token, client_id=id, scopes=[]))
        return None


def _refused(status: int, why: str, challenge: str = "") -> JSONResponse:
    headers = {"WWW-Authenticate": challenge} if challenge else None
    return JSONResponse({"error": why}, status, headers)
