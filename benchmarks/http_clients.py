"""Clients over HTTP in bare JSON-RPC, so that their own cost stays small: of each transport and era."""

from __future__ import annotations

import json
from http.client import HTTPConnection, HTTPResponse
from typing import Any, Protocol

ABOUT = {"name": "benchmark", "version": "1"}
HANDSHAKE, MODERN = "2025-11-25", "2026-07-28"
META = "io.modelcontextprotocol/"
SECONDS = 120


class CallFailed(Exception):
    """A call was not answered with a result; the message says with what."""


class HttpClient(Protocol):
    """A client that calls tools, one after the other."""

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """A tool's result object.

        Raises:
            CallFailed: there is none.
            OSError: the server is not there.
        """
        ...

    def close(self) -> None:
        """Disconnect."""
        ...


class Connection:
    """A connection that is kept for many requests; counts the ids of messages."""

    def __init__(self, port: int) -> None:
        self.http = HTTPConnection("127.0.0.1", port, timeout=SECONDS)
        self.messages = 0

    def post(self, path: str, message: dict[str, Any], **headers: str) -> HTTPResponse:
        """Post one message; `_` stands for a hyphen in the names of headers."""
        sent = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream"}
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        self.http.request("POST", path, json.dumps({"jsonrpc": "2.0", **message}), sent)
        return self.http.getresponse()

    def next_id(self) -> int:
        """The id of the next message."""
        self.messages += 1
        return self.messages


class ModernClient:
    """Streamable HTTP of 2026-07-28: each request stands alone."""

    def __init__(self, port: int) -> None:
        self._connection = Connection(port)

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """A tool's result object; see `HttpClient.call`."""
        meta = {f"{META}protocolVersion": MODERN, f"{META}clientInfo": ABOUT, f"{META}clientCapabilities": {}}
        params = {"name": tool, "arguments": arguments, "_meta": meta}
        message = {"id": self._connection.next_id(), "method": "tools/call", "params": params}
        headers = {"Mcp_Protocol_Version": MODERN, "Mcp_Method": "tools/call", "Mcp_Name": tool}
        return result(self._connection.post("/mcp", message, **headers))

    def close(self) -> None:
        """Disconnect."""
        self._connection.http.close()


class HandshakeClient:
    """Streamable HTTP of 2025-11-25: a session that is opened first, and ended last."""

    def __init__(self, port: int) -> None:
        self._connection = Connection(port)
        params = {"protocolVersion": HANDSHAKE, "capabilities": {}, "clientInfo": ABOUT}
        answer = self._connection.post("/mcp", {"id": 0, "method": "initialize", "params": params})
        self._headers = {
            "Mcp_Session_Id": answer.headers["mcp-session-id"] or "",
            "Mcp_Protocol_Version": HANDSHAKE,
        }
        result(answer)
        self._connection.post("/mcp", {"method": "notifications/initialized"}, **self._headers).read()

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """A tool's result object; see `HttpClient.call`."""
        params = {"name": tool, "arguments": arguments}
        message = {"id": self._connection.next_id(), "method": "tools/call", "params": params}
        return result(self._connection.post("/mcp", message, **self._headers))

    def close(self) -> None:
        """End the session and disconnect."""
        sent = {name.replace("_", "-"): value for name, value in self._headers.items()}
        self._connection.http.request("DELETE", "/mcp", headers=sent)
        self._connection.http.getresponse().read()
        self._connection.http.close()


class SseClient:
    """The older SSE: requests on one connection, answers on a stream."""

    def __init__(self, port: int) -> None:
        self._connection = Connection(port)
        self._streaming = HTTPConnection("127.0.0.1", port, timeout=SECONDS)
        self._streaming.request("GET", "/sse", headers={"Accept": "text/event-stream"})
        self._stream = self._streaming.getresponse()
        self._path = self._event()
        params = {"protocolVersion": HANDSHAKE, "capabilities": {}, "clientInfo": ABOUT}
        self._ask("initialize", params)
        self._connection.post(self._path, {"method": "notifications/initialized"}).read()

    def call(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """A tool's result object; see `HttpClient.call`."""
        return self._ask("tools/call", {"name": tool, "arguments": arguments})

    def close(self) -> None:
        """Disconnect."""
        self._stream.close()
        self._streaming.close()
        self._connection.http.close()

    def _ask(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        id = self._connection.next_id()
        taken = self._connection.post(self._path, {"id": id, "method": method, "params": params})
        taken.read()
        if taken.status != 202:
            raise CallFailed(f"status {taken.status}")
        while (answer := json.loads(self._event())).get("id") != id:
            pass
        return _found(answer)

    def _event(self) -> str:
        """What the next event says."""
        while line := self._stream.readline():
            if line.startswith(b"data: "):
                return line[6:].decode().strip()
        raise CallFailed("the stream ended")


def result(answer: HTTPResponse) -> dict[str, Any]:
    """The result that an answer brings, as JSON or as the last event of a stream.

    Raises:
        CallFailed: it brings none.
    """
    body = answer.read()
    if answer.status != 200:
        raise CallFailed(f"status {answer.status}: {body[:200].decode(errors='replace')}")
    if (answer.headers["content-type"] or "").startswith("text/event-stream"):
        body = [line[6:] for line in body.splitlines() if line.startswith(b"data: {")][-1]
    return _found(json.loads(body))


def _found(answer: dict[str, Any]) -> dict[str, Any]:
    if "error" in answer:
        raise CallFailed(str(answer["error"]))
    found: dict[str, Any] = answer["result"]
    if found.get("isError"):
        raise CallFailed(found["content"][0]["text"])
    return found


CLIENTS: tuple[type[ModernClient] | type[HandshakeClient] | type[SseClient], ...] = (
    ModernClient,
    HandshakeClient,
    ModernClient,
    HandshakeClient,
    SseClient,
)
