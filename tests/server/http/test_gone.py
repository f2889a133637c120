"""Clients that end their connection, or are gone, while a call of theirs is at work."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from pathlib import Path
from typing import Any

import anyio
import pytest
from anyio import to_thread
from starlette.types import ASGIApp, Message

from prune_mcp.server.app import make_server
from prune_mcp.server.http.access import Access
from prune_mcp.server.http.app import http_app
from prune_mcp.server.http.token import Tokens
from prune_mcp.storage.home import Home
from tests.server.conftest import FakeEngine, text_of
from tests.server.http.cases import ARCHIVED, SESSION
from tests.server.http.gate import Gate
from tests.server.http.raw import calling, headers, initialize, message, opened
from tests.server.http.serving import Place, Served, served

pytestmark = pytest.mark.requirement("SRV-HTTP", "SRV-PROGRESS")


async def goes_on(server: Served, library: Path) -> None:
    """A server that answers the next client, and whose store is whole."""
    async with Place("streamable", library, server).client() as client:
        told = await client.call_tool("context_tree_query", {"session": ARCHIVED, "refs": ["t1"]})
        assert not told.is_error, text_of(told)


async def test_a_client_that_is_gone_has_its_call_ended(library: Path, gate: Gate) -> None:
    with served(library, program=gate.program) as server, anyio.fail_after(60):
        wire = await to_thread.run_sync(calling, server, "auto")
        await gate.started()
        wire.close()
        await gate.ended()
        await goes_on(server, library)


async def test_in_the_older_era_a_lost_stream_is_no_cancelling(library: Path, gate: Gate) -> None:
    with served(library, program=gate.program) as server, anyio.fail_after(60):
        session = await to_thread.run_sync(opened, server)
        wire = await to_thread.run_sync(calling, server, "legacy", session)
        await gate.started()
        wire.close()
        about = headers("legacy", "tools/list", session=session)
        listed = await to_thread.run_sync(lambda: server.request(body=message("tools/list", id=2), **about))
        assert listed.status == 200
        gate.release()
        await gate.ended()
        await goes_on(server, library)


async def test_ending_a_connection_ends_its_call(library: Path, gate: Gate) -> None:
    with served(library, program=gate.program) as server, anyio.fail_after(60):
        session = await to_thread.run_sync(opened, server)
        wire = await to_thread.run_sync(calling, server, "legacy", session)
        await gate.started()
        about = headers("legacy", "tools/list", session=session)
        ended = await to_thread.run_sync(lambda: server.request("DELETE", **about))
        assert ended.status == 200
        await gate.ended()
        after = await to_thread.run_sync(lambda: server.request(body=message("tools/list", id=2), **about))
        assert after.status == 404
        told = await to_thread.run_sync(lambda: b"".join(iter(lambda: wire.recv(65536), b"")))
        wire.close()
        assert told.endswith(b"\r\n0\r\n\r\n"), "its stream ends whole, without an answer"
        await goes_on(server, library)


async def test_a_client_of_sse_that_is_gone_has_its_call_ended(library: Path, gate: Gate) -> None:
    with served(library, program=gate.program) as server, anyio.fail_after(60):
        async with anyio.create_task_group() as calls:

            async def prune() -> None:
                async with Place("sse", library, server).client("legacy") as client:
                    await client.call_tool("prune_context", {"session": SESSION})

            calls.start_soon(prune)
            await gate.started()
            calls.cancel_scope.cancel()
        await gate.ended()
        await goes_on(server, library)


async def nothing() -> None:
    """What comes then, unless something does."""


async def asked(
    app: ASGIApp, method: str, body: bytes, about: Mapping[str, str], then: Callable[[], Awaitable[None]] = nothing
) -> dict[str, str]:
    """The headers of an application's answer, its status under ""; `then` comes when the answer is whole."""
    sent = {
        "Host": "localhost",
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
    }
    sent |= {name.replace("_", "-"): value for name, value in about.items()}
    raw = [(name.lower().encode(), value.encode()) for name, value in sent.items()]
    got: dict[str, str] = {}
    bodies: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

    async def receive() -> Message:
        if not bodies:
            await anyio.sleep_forever()
        return bodies.pop()

    async def send(message: Message) -> None:
        if message["type"] == "http.response.start":
            assert not got
            got[""] = str(message["status"])
            got.update((name.decode(), value.decode()) for name, value in message["headers"])
        elif not message.get("more_body"):
            await then()

    scope: dict[str, Any] = {
        "type": "http",
        "asgi": {"version": "3.0"},
        "http_version": "1.1",
        "method": method,
        "path": "/mcp",
    }
    scope |= {"raw_path": b"/mcp", "root_path": "", "query_string": b"", "headers": raw, "scheme": "http"}
    await app(scope | {"client": ("127.0.0.1", 1), "server": ("127.0.0.1", 2)}, receive, send)
    return got


async def test_a_connection_that_ends_while_a_notification_is_passed_on_fails_nothing(
    fake: FakeEngine, home: Path, caplog: pytest.LogCaptureFixture
) -> None:
    tokens = Tokens(Home(home, home, home))
    app = http_app(make_server(lambda: fake.engine), Access(), tokens, max_body_bytes=1 << 20)
    async with app.router.lifespan_context(app):
        session = (await asked(app, "POST", initialize(), {}))["mcp-session-id"]
        about = headers("legacy", "notifications/initialized", session=session)
        ended: list[dict[str, str]] = []

        async def end() -> None:
            ended.append(await asked(app, "DELETE", b"", about))

        noted = await asked(app, "POST", message("notifications/initialized", id=None), about, end)
    assert (noted[""], ended[0][""]) == ("202", "200")
    assert [record for record in caplog.records if record.levelname == "ERROR"] == []
