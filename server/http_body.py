"""The bodies of requests: read whole up to a limit, and made valid JSON where single characters are not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from starlette.datastructures import Headers
from starlette.responses import JSONResponse

from prune_mcp.server.incoming import valid_bytes

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send


class Bodies:
    """Hands on each body of at most `most` bytes in one piece; a larger one is refused with 413."""

    def __init__(self, app: ASGIApp, most: int) -> None:
        self._app = app
        self._most = most

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer the request, or refuse it."""
        if scope["type"] != "http" or scope["method"] != "POST":
            await self._app(scope, receive, send)
            return
        body = None if _declared(scope) > self._most else await self._whole(receive)
        if body is None:
            why = (
                f"The request is larger than {self._most:,} bytes; the setting `http.max_body_bytes` is the limit."
            )
            await JSONResponse({"error": why}, 413)(scope, receive, send)
            return
        waiting: list[Message] = [{"type": "http.request", "body": valid_bytes(body), "more_body": False}]

        async def read() -> Message:
            return waiting.pop() if waiting else await receive()

        await self._app(scope, read, send)

    async def _whole(self, receive: Receive) -> bytes | None:
        """The body; None for one that is too large. What was read of one that broke off is no JSON."""
        body = bytearray()
        while True:
            message = await receive()
            body += message.get("body", b"")
            if len(body) > self._most:
                return None
            if not message.get("more_body", False):
                return bytes(body)


def _declared(scope: Scope) -> int:
    """The size that the request says it has, 0 where it does not."""
    length = Headers(scope=scope).get("content-length", "")
    return int(length) if length.isascii() and length.isdigit() else 0
