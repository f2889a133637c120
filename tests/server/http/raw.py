"""Messages of the protocol in plain HTTP, for what no client library would send."""

from __future__ import annotations

import json
import socket
from http.client import HTTPConnection, HTTPResponse
from typing import Any

from tests.server.conftest import Era
from tests.server.http.cases import SESSION
from tests.server.http.serving import Answer, Served

VERSIONS: dict[Era, str] = {"legacy": "2025-11-25", "auto": "2026-07-28"}
ABOUT = {"name": "raw", "version": "1"}


def message(method: str, era: Era = "legacy", id: int | None = 1, **params: Any) -> bytes:
    """A request in JSON, in ASCII; without an id a notification."""
    if era == "auto":
        prefix = "io.modelcontextprotocol/"
        params["_meta"] = {
            f"{prefix}protocolVersion": VERSIONS[era],
            f"{prefix}clientInfo": ABOUT,
            f"{prefix}clientCapabilities": {},
        }
    known = {"jsonrpc": "2.0", "method": method, "params": params} | ({} if id is None else {"id": id})
    return json.dumps(known).encode()


def initialize() -> bytes:
    """The first request of the older era."""
    return message("initialize", protocolVersion=VERSIONS["legacy"], capabilities={}, clientInfo=ABOUT)


def headers(era: Era, method: str, name: str = "", session: str = "") -> dict[str, str]:
    """What goes with a request; `_` stands for a hyphen."""
    told = {"Mcp_Protocol_Version": VERSIONS[era]}
    if era == "auto":
        told |= {"Mcp_Method": method} | ({"Mcp_Name": name} if name else {})
    return told | ({"Mcp_Session_Id": session} if session else {})


def opened(server: Served, **extra: str) -> str:
    """A connection of the older era; its id."""
    answer = server.request(body=initialize(), **extra)
    assert answer.status == 200, answer
    session = answer.headers["mcp-session-id"]
    about = headers("legacy", "notifications/initialized", session=session) | extra
    done = server.request(body=message("notifications/initialized", id=None), **about)
    assert done.status == 202, done
    return session


def calling(server: Served, era: Era, session: str = "") -> socket.socket:
    """A connection on which a prune was asked for, and no answer has come."""
    wire = socket.create_connection(("127.0.0.1", server.port), timeout=30)
    body = message("tools/call", era, name="prune_context", arguments={"session": SESSION})
    about = headers(era, "tools/call", "prune_context", session)
    lines = [f"{name.replace('_', '-')}: {value}" for name, value in about.items()]
    told = (
        "POST /mcp HTTP/1.1",
        "Host: localhost",
        "Connection: close",
        "Content-Type: application/json",
        "Accept: application/json, text/event-stream",
        f"Content-Length: {len(body)}",
        *lines,
    )
    wire.sendall("\r\n".join(told).encode() + b"\r\n\r\n" + body)
    return wire


def call(server: Served, era: Era, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """The result of a tool call."""
    session = opened(server) if era == "legacy" else ""
    body = message("tools/call", era, name=tool, arguments=arguments)
    return result(server.request(body=body, **headers(era, "tools/call", tool, session)))


def sse_call(server: Served, tool: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """The result of a tool call over SSE, where answers come on a stream."""
    stream = HTTPConnection("127.0.0.1", server.port, timeout=30)
    try:
        stream.request("GET", "/sse")
        events = stream.getresponse()
        path = _data(events)
        for body in (
            initialize(),
            message("notifications/initialized", id=None),
            message("tools/call", id=2, name=tool, arguments=arguments),
        ):
            assert server.request(path=path, body=body).status == 202
        while (answer := json.loads(_data(events)))["id"] != 2:
            pass
        found: dict[str, Any] = answer["result"]
        return found
    finally:
        stream.close()


def _data(events: HTTPResponse) -> str:
    """What the next event says."""
    while not (line := events.readline()).startswith(b"data: "):
        assert line, "the stream ended"
    return line.decode().removeprefix("data: ").strip()


def result(answer: Answer) -> dict[str, Any]:
    """What an answer brings, as JSON or as an event."""
    assert answer.status == 200, answer
    text = answer.body.decode()
    if "text/event-stream" in answer.headers["content-type"]:
        text = next(line for line in reversed(text.splitlines()) if line.startswith("data: {")).removeprefix(
            "data: "
        )
    found: dict[str, Any] = json.loads(text)["result"]
    return found
