"""Requests that no client library would send: each has an answer that says what is wrong, and costs itself."""

from __future__ import annotations

import json
import socket
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from anyio import sleep_forever

from prune_mcp.server.http.body import Bodies
from tests.server.conftest import Era
from tests.server.http.raw import headers, initialize, message, opened, result
from tests.server.http.serving import Served, served

pytestmark = pytest.mark.requirement("SRV-HTTP", "SRV-STRICT")

# What is told of in the log.
LOGGED = r"(Invalid HTTP request received\.\n|Could not find session for ID: \S+\n)*"
METHODS = ("HEAD", "OPTIONS", "PUT", "PATCH", "TRACE", "NONSENSE")


@pytest.fixture(scope="module")
def http(library: Path) -> Iterator[Served]:
    """A server over HTTP for whoever is on this machine."""
    with served(library, says=LOGGED) as server:
        yield server


def raw(server: Served, request: bytes) -> tuple[int, bytes]:
    """Status and body of the answer to a request as it goes over the wire, after which the connection ends."""
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as wire:
        wire.sendall(request)
        answer = b"".join(iter(lambda: wire.recv(65536), b""))
    head, _, body = answer.partition(b"\r\n\r\n")
    return int(head.split()[1]), body


def posted(body: bytes, *lines: str, version: str = "1.1", length: int | None = None) -> bytes:
    """A POST to /mcp with these headers more."""
    told = (
        f"POST /mcp HTTP/{version}",
        "Host: 127.0.0.1",
        "Connection: close",
        "Content-Type: application/json",
        "Accept: application/json, text/event-stream",
        f"Content-Length: {len(body) if length is None else length}",
        *lines,
    )
    return "\r\n".join(told).encode() + b"\r\n\r\n" + body


@pytest.mark.parametrize("path", ["/mcp", "/sse", "/messages/", "/mcp/"])
@pytest.mark.parametrize("method", METHODS)
def test_other_methods_are_refused_and_the_right_ones_named(http: Served, method: str, path: str) -> None:
    answer = http.request(method, path)
    assert answer.status == 405
    assert answer.headers["allow"]


def test_a_slash_at_the_end_is_served_and_redirects_nobody(http: Served) -> None:
    assert http.request(path="/mcp/", body=initialize()).status == 200
    elsewhere = http.request("GET", "/elsewhere/")
    assert elsewhere.status == 404
    assert "MCP is at /mcp" in json.loads(elsewhere.body)["error"]


@pytest.mark.parametrize("type", ["text/plain", "application/x-www-form-urlencoded", ""])
@pytest.mark.parametrize("path", ["/mcp", "/messages/"])
def test_what_is_not_said_to_be_json_is_refused(http: Served, path: str, type: str) -> None:
    answer = http.request(path=path, body=initialize(), Content_Type=type)
    assert answer.status == 415
    assert "Content-Type: application/json" in json.loads(answer.body)["error"]


def test_json_may_name_its_encoding(http: Served) -> None:
    assert http.request(body=initialize(), Content_Type="application/json; charset=utf-8").status == 200


def test_a_batch_is_refused_in_the_words_of_the_protocol(http: Served, era: Era) -> None:
    body = b" [" + message("tools/list", era) + b"]"
    answer = http.request(body=body, **headers(era, "tools/list"))
    assert answer.status == 400
    assert "One request at a time" in json.loads(answer.body)["error"]["message"]


@pytest.mark.parametrize("depth", [300, 100_000])
def test_nesting_without_end_is_an_error_and_the_server_goes_on(http: Served, era: Era, depth: int) -> None:
    session = opened(http) if era == "legacy" else ""
    body = message("tools/call", era, name="prune_context", arguments={"messages": "HERE"})
    deep = body.replace(b'"HERE"', b"[" * depth + b"]" * depth)
    answer = http.request(body=deep, **headers(era, "tools/call", "prune_context", session))
    assert answer.status in (200, 400)
    told = json.loads(answer.body)
    assert told["error"]["code"] == -32700 if answer.status == 400 else told["result"]["isError"]
    assert http.request("GET", "/health").status == 200


def test_of_a_key_that_stands_twice_the_last_counts(http: Served) -> None:
    body = message("tools/call", "auto", name="history_search", arguments={"query": "nothing", "all": True})
    twice = body.replace(b'"query": "nothing"', b'"query": "nothing", "query": "walrus"')
    answer = result(http.request(body=twice, **headers("auto", "tools/call", "history_search")))
    assert "a «walrus» sings" in answer["content"][0]["text"]


@pytest.mark.parametrize(
    ("request_", "status"),
    [
        (posted(initialize(), version="1.0"), 200),
        (posted(initialize()).replace(b"Host: 127.0.0.1\r\n", b""), 400),
        (posted(initialize(), version="1.0").replace(b"Host: 127.0.0.1\r\n", b""), 421),
        (posted(initialize(), "Host: localhost"), 400),
        (posted(initialize(), *(f"X-{number}: y" for number in range(1000))), 200),
        (posted(initialize(), f"X-Large: {'y' * 200_000}"), 400),
        (posted(initialize(), length=-5), 400),
        (posted(initialize(), "Content-Length: 3"), 400),
        (b"\x16\x03\x01\x02\x00\x01\x00 no HTTP at all\r\n\r\n", 400),
    ],
    ids=[
        "HTTP/1.0",
        "no host",
        "no host in HTTP/1.0",
        "two hosts",
        "many headers",
        "a large header",
        "a length below 0",
        "two lengths",
        "no HTTP",
    ],
)
def test_what_is_hardly_http_has_an_answer_too(http: Served, request_: bytes, status: int) -> None:
    try:
        assert raw(http, request_)[0] == status
    except ConnectionResetError:
        # The refusal was sent before all of the request was read.
        assert status == 400
    assert http.request("GET", "/health").status == 200


@pytest.mark.parametrize("session", ["0" * 32, "no session", "'; drop"])
def test_a_connection_that_is_not_there_is_not_found(http: Served, session: str) -> None:
    about = headers("legacy", "tools/list", session=session)
    assert http.request(body=message("tools/list"), **about).status == 404
    assert http.request("DELETE", **about).status == 404
    assert http.request(path=f"/messages/?session_id={'0' * 32}", body=message("tools/list")).status == 404


async def test_a_body_that_stops_coming_is_given_up() -> None:
    async def app(scope: Any, receive: Any, send: Any) -> None:
        raise AssertionError

    async def receive() -> Any:
        await sleep_forever()

    sent: list[Any] = []

    async def send(message: Any) -> None:
        sent.append(message)

    scope = {"type": "http", "method": "POST", "headers": [(b"content-type", b"application/json")]}
    await Bodies(app, 1000, idle_seconds=0.01)(scope, receive, send)
    assert sent[0]["status"] == 408
    assert b"send it again" in sent[1]["body"]
