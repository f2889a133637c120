"""The streams of answers: one that the server ends, since it stops, is whole for its client all the same."""

from __future__ import annotations

import logging
from typing import TYPE_CHECKING

from anyio import ClosedResourceError

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send


class Streams:
    """Ends each answer that an application began and left, and lets it begin only one."""

    def __init__(self, app: ASGIApp) -> None:
        self._app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer the request."""
        begun = ended = False

        async def once(message: Message) -> None:
            nonlocal begun, ended
            if message["type"] == "http.response.start":
                # The SDK lets an empty answer follow a stream; its body is the stream's end.
                if begun:
                    return
                begun = True
            elif message["type"] == "http.response.body":
                if ended:
                    return
                ended = not message.get("more_body", False)
            await send(message)

        try:
            await self._app(scope, receive, once)
        except ClosedResourceError:
            # What has its answer was for a connection that its client has ended since.
            if not ended:
                raise
        if begun and not ended:
            await send({"type": "http.response.body", "body": b"", "more_body": False})


def of_connections_at_work(record: logging.LogRecord) -> bool:
    """A filter for the log of the SDK: a client that leaves while its notification is passed on is no error."""
    return not (record.exc_info and isinstance(record.exc_info[1], ClosedResourceError))
