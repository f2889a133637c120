"""The bodies of requests: read whole up to a limit, and made valid JSON where single characters are not."""

from __future__ import annotations

from typing import TYPE_CHECKING

from anyio import fail_after
from starlette.datastructures import Headers
from starlette.responses import JSONResponse

from prune_mcp.server.incoming import valid_bytes

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

# Seconds between two pieces of a body: one that comes more slowly is not coming.
IDLE_SECONDS = 30.0
JSON = "application/json"
# JSON-RPC: the request is none that can be answered.
INVALID_REQUEST = -32600


class Bodies:
    """Hands on each JSON body of at most `most` bytes in one piece.

    Others are refused: 413 a larger one, 415 what is said to be no JSON, 400 a list of requests, 408 a body of
    which nothing more comes for `idle_seconds`.
    """

    def __init__(self, app: ASGIApp, most: int, idle_seconds: float = IDLE_SECONDS) -> None:
        self._app = app
        self._most = most
        self._idle_seconds = idle_seconds

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer the request, or refuse it."""
        if scope["type"] != "http" or scope["method"] != "POST":
            await self._app(scope, receive, send)
            return
        body = await self._body(scope, receive)
        if isinstance(body, JSONResponse):
            await body(scope, receive, send)
            return
        waiting: list[Message] = [{"type": "http.request", "body": valid_bytes(body), "more_body": False}]

        async def read() -> Message:
            return waiting.pop() if waiting else await receive()

        await self._app(scope, read, send)

    async def _body(self, scope: Scope, receive: Receive) -> bytes | JSONResponse:
        """The body, or why it is not taken."""
        headers = Headers(scope=scope)
        if headers.get("content-type", "").partition(";")[0].strip().lower() != JSON:
            return _refused(415, f"Requests are JSON: send them with `Content-Type: {JSON}`.")
        try:
            body = None if _declared(headers) > self._most else await self._whole(receive)
        except TimeoutError:
            return _refused(
                408, f"Nothing more of the request came for {self._idle_seconds:g} seconds; send it again."
            )
        if body is None:
            limit = f"{self._most:,} bytes; the setting `http.max_body_bytes` is the limit"
            return _refused(413, f"The request is larger than {limit}.")
        if body.lstrip()[:1] == b"[":
            return _no_list()
        return body

    async def _whole(self, receive: Receive) -> bytes | None:
        """The body; None for one that is too large. What was read of one that broke off is no JSON.

        Raises:
            TimeoutError: nothing more of it came.
        """
        body = bytearray()
        while True:
            with fail_after(self._idle_seconds):
                message = await receive()
            body += message.get("body", b"")
            if len(body) > self._most:
                return None
            if not message.get("more_body", False):
                return bytes(body)


def _declared(headers: Headers) -> int:
    """The size that the request says it has, 0 where it does not."""
    length = headers.get("content-length", "")
    return int(length) if length.isascii() and length.isdigit() else 0


def _refused(status: int, why: str) -> JSONResponse:
    return JSONResponse({"error": why}, status)


def _no_list() -> JSONResponse:
    """The refusal of several requests in one, in the words of the protocol."""
    why = "One request at a time: batches of several are not taken."
    return JSONResponse({"jsonrpc": "2.0", "id": None, "error": {"code": INVALID_REQUEST, "message": why}}, 400)
