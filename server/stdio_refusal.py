"""Lines over stdio that are no message of the protocol: each is answered, so that nobody waits for it."""

from __future__ import annotations

import json
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from anyio import EndOfStream
from mcp.shared.message import SessionMessage
from mcp_types import INVALID_REQUEST, PARSE_ERROR, ErrorData, JSONRPCError

if TYPE_CHECKING:
    from contextvars import Context

    from mcp.shared._stream_protocols import ReadStream, WriteStream

    from prune_mcp.server.stdio import ValidLines


class Refusing:
    """The messages of a stream; what was read from `lines` and is none is answered on `write`."""

    def __init__(
        self, read: ReadStream[SessionMessage | Exception], write: WriteStream[SessionMessage], lines: ValidLines
    ) -> None:
        self._read = read
        self._write = write
        self._lines = lines

    @property
    def last_context(self) -> Context | None:
        """The context in which the latest message was sent."""
        context: Context | None = getattr(self._read, "last_context", None)
        return context

    async def receive(self) -> SessionMessage | Exception:
        """The next message.

        Raises:
            EndOfStream: there is none.
        """
        while isinstance(message := await self._read.receive(), Exception):
            if self._lines.latest.strip():
                await self._write.send(SessionMessage(refusal(self._lines.latest)))
        return message

    async def aclose(self) -> None:
        """Close the stream."""
        await self._read.aclose()

    def __aiter__(self) -> Self:
        return self

    async def __anext__(self) -> SessionMessage | Exception:
        try:
            return await self.receive()
        except EndOfStream:
            raise StopAsyncIteration from None

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


def refusal(line: str) -> JSONRPCError:
    """The answer to a line that is no message; to its id where it has one."""
    try:
        value = json.loads(line)
    except RecursionError:
        return _error(None, PARSE_ERROR, "This line is nested too deeply to be read.")
    except ValueError as error:
        return _error(None, PARSE_ERROR, f"This line is no JSON ({error}); send each message whole, on one line.")
    if isinstance(value, list):
        return _error(None, INVALID_REQUEST, "One request at a time: batches of several are not taken.")
    id = value.get("id") if isinstance(value, dict) and "method" in value else None
    why = "This is no message of JSON-RPC 2.0, or one that is nested too deeply to be read."
    return _error(id if isinstance(id, str | int) else None, INVALID_REQUEST, why)


def _error(id: Any, code: int, why: str) -> JSONRPCError:
    return JSONRPCError(jsonrpc="2.0", id=id, error=ErrorData(code=code, message=why))
