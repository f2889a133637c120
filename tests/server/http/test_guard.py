"""Who is let in over HTTP: real servers, asked in plain HTTP."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest
from fastmcp import Client as ForeignClient

from tests.server.conftest import text_of
from tests.server.http.raw import headers, initialize, message, opened
from tests.server.http.serving import Place, Served, TransportName, served
from tests.server.shell import Shell

pytestmark = pytest.mark.requirement("SRV-HTTP")

NAME = "tools.example.org"
# Who tries to use another's connection is told of in the log.
REJECTED = r"Rejecting request for session \w+: credential does not match .*\n"
PATHS = [("POST", "/mcp"), ("GET", "/sse"), ("POST", "/messages/?session_id=00"), ("GET", "/elsewhere")]


@pytest.fixture(scope="module")
def token(library: Path) -> str:
    """A token that counts."""
    return Shell(library, library).run("token", "make", "laptop").stdout.strip()


@pytest.fixture(scope="module")
def public(library: Path, token: str) -> Iterator[Served]:
    """A server that may be called by a name of other machines too, and so wants a token of all."""
    with served(library, "--allow-host", NAME, "--allow-host", "192.0.2.7", says=f"({REJECTED})?") as server:
        yield server


@pytest.mark.parametrize(("method", "path"), PATHS)
@pytest.mark.parametrize(
    "host", ["evil.example", "127.0.0.1.evil.example", "localhost.evil.example:80", "", "10.0.0.1"]
)
def test_a_foreign_host_is_refused_everywhere(http: Served, method: str, path: str, host: str) -> None:
    answer = http.request(method, path, Host=host)
    assert answer.status == 421
    assert "--allow-host" in json.loads(answer.body)["error"]


@pytest.mark.parametrize(("method", "path"), PATHS)
@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "https://localhost.evil.example", "file://localhost"]
)
def test_a_foreign_origin_is_refused_everywhere(http: Served, method: str, path: str, origin: str) -> None:
    assert http.request(method, path, Origin=origin).status == 403


@pytest.mark.parametrize("name", ["localhost", "127.0.0.1", "[::1]", "LOCALHOST", "127.8.9.1"])
def test_every_name_of_this_machine_is_let_in_without_a_token(http: Served, name: str) -> None:
    answer = http.request(body=initialize(), Host=f"{name}:{http.port}", Origin=f"http://{name}:6274")
    assert answer.status == 200


@pytest.mark.parametrize("header", ["X_Forwarded_For", "Forwarded", "X_Real_Ip", "X_Forwarded_Host"])
def test_who_comes_through_a_proxy_needs_a_token_even_here(http: Served, token: str, header: str) -> None:
    assert http.request(body=initialize(), **{header: "203.0.113.9"}).status == 401
    known = http.request(body=initialize(), Authorization=f"Bearer {token}", **{header: "203.0.113.9"})
    assert known.status == 200


@pytest.mark.parametrize(("method", "path"), PATHS)
@pytest.mark.parametrize("host", [NAME, "127.0.0.1"])
def test_without_a_token_nothing_is_told(public: Served, method: str, path: str, host: str) -> None:
    answer = public.request(method, path, Host=host)
    assert answer.status == 401
    assert answer.headers["www-authenticate"] == "Bearer"
    assert "mcp-session-id" not in answer.headers


@pytest.mark.parametrize(
    "given", ["Bearer wrong", "Bearer ", "bearer", "Basic {token}", "{token}", "Bearer {token}x", "Bearer \u00e9"]
)
def test_a_wrong_token_is_refused(public: Served, token: str, given: str) -> None:
    answer = public.request(body=initialize(), Host=NAME, Authorization=given.format(token=token))
    assert answer.status == 401
    assert answer.headers["www-authenticate"].startswith("Bearer")
    assert token not in answer.body.decode()


@pytest.mark.parametrize("name", [NAME, f"{NAME}:8443", "TOOLS.example.org", "192.0.2.7", "127.0.0.1"])
def test_a_token_opens_each_allowed_name_and_no_other(public: Served, token: str, name: str) -> None:
    assert public.request(body=initialize(), Host=name, Authorization=f"Bearer {token}").status == 200
    foreign = public.request(body=initialize(), Host=f"x{name}", Authorization=f"Bearer {token}")
    assert foreign.status == 421


def test_a_connection_is_only_for_the_token_that_opened_it(public: Served, library: Path, token: str) -> None:
    other = Shell(library, library).run("token", "make", "other").stdout.strip()
    session = opened(public, Authorization=f"Bearer {token}")
    body, about = message("tools/list"), headers("legacy", "tools/list", session=session)
    assert public.request(body=body, Authorization=f"Bearer {other}", **about).status == 404
    assert public.request(body=body, Authorization=f"Bearer {token}", **about).status == 200


def test_a_token_that_is_revoked_counts_no_more_at_once(public: Served, library: Path) -> None:
    shell = Shell(library, library)
    token = shell.run("token", "make", "lost").stdout.strip()
    session = opened(public, Authorization=f"Bearer {token}")
    shell.run("token", "revoke", "lost")
    about = headers("legacy", "tools/list", session=session)
    assert public.request(body=message("tools/list"), Authorization=f"Bearer {token}", **about).status == 401


@pytest.mark.parametrize("transport", ["streamable", "sse"])
async def test_a_client_with_its_token_works(
    public: Served, library: Path, token: str, transport: TransportName
) -> None:
    async with Place(transport, library, public).client("legacy", token) as client:
        found = await client.call_tool("history_search", {"query": "walrus", "all": True})
    assert "a «walrus» sings" in text_of(found)


async def test_a_client_that_nobody_here_wrote_works_with_its_token(public: Served, token: str) -> None:
    async with ForeignClient(f"{public.url}/mcp", auth=token) as client:
        assert "history_search" in [tool.name for tool in await client.list_tools()]
        found = await client.call_tool("history_search", {"query": "walrus", "all": True})
    assert "a «walrus» sings" in str(found.content)


@pytest.mark.parametrize("path", ["/mcp", "/messages/?session_id=00000000000000000000000000000000"])
@pytest.mark.parametrize("chunked", [False, True])
def test_a_body_over_the_limit_is_refused(http: Served, path: str, chunked: bool) -> None:
    body = b'{"jsonrpc": "2.0", "x": "' + b"x" * (4 << 20) + b'"}'
    parts = (body[at : at + 65536] for at in range(0, len(body), 65536))
    answer = http.request(path=path, body=parts if chunked else body)
    assert answer.status == 413
    assert "4,194,304 bytes" in json.loads(answer.body)["error"]


def test_a_body_under_the_limit_is_read(http: Served) -> None:
    long = message("tools/call", name="history_search", arguments={"query": "walrus", "x": "y" * (4_000_000)})
    assert len(long) < 4 << 20
    about = headers("legacy", "tools/call", session=opened(http))
    assert http.request(body=long, **about).status == 200


@pytest.mark.parametrize("host", [NAME, "127.0.0.1"])
def test_the_health_route_tells_that_it_is_there_and_nothing_else(public: Served, host: str) -> None:
    answer = public.request("GET", "/health", Host=host)
    assert answer.status == 200
    assert set(json.loads(answer.body)) == {"ok", "version"}
    assert public.request("GET", "/health", Host="evil.example").status == 421
    assert public.request("POST", "/health").status in (401, 405)
