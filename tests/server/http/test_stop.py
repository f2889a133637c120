"""A server over HTTP is told to stop: calls at work may end, and nothing else keeps it."""

from __future__ import annotations

import signal
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import anyio
import pytest
from anyio import to_thread
from mcp import Client

from tests.server.conftest import Era, text_of
from tests.server.http.cases import SESSION
from tests.server.http.gate import Gate
from tests.server.http.raw import calling, opened
from tests.server.http.serving import Place, Served, TransportName, served

pytestmark = pytest.mark.requirement("SRV-HTTP")


@pytest.fixture(params=["streamable", "sse"])
def transport(request: pytest.FixtureRequest) -> TransportName:
    name: TransportName = request.param
    return name


@asynccontextmanager
async def pruning(
    server: Served, place: Place, era: Era, gate: Gate, told: list[Any], how: signal.Signals = signal.SIGTERM
) -> AsyncIterator[Client]:
    """A client whose prune is at work when the server is told to stop; how it ends is `told`."""

    async def prune() -> None:
        told.append(await client.call_tool("prune_context", {"session": SESSION}))

    async with place.client(era) as client, anyio.create_task_group() as calls:
        # Else the client asks for it after the call, of a server that takes no more requests.
        await client.list_tools()
        calls.start_soon(prune)
        await gate.started()
        server.process.send_signal(how)
        yield client


async def test_a_call_at_work_may_end(library: Path, gate: Gate, transport: TransportName, era: Era) -> None:
    told: list[Any] = []
    with served(library, "20", program=gate.program) as server, anyio.fail_after(60):
        async with pruning(server, Place(transport, library, server), era, gate, told):
            # It takes nobody any more, and waits.
            await refused(server)
            assert server.process.poll() is None
            gate.release()
        await to_thread.run_sync(server.process.wait, 30)
        assert "released at last" in text_of(told[0])


@pytest.mark.parametrize(("how", "code"), [(signal.SIGTERM, 0), (signal.SIGINT, 130)])
async def test_a_call_that_does_not_end_is_cancelled(
    library: Path, gate: Gate, transport: TransportName, era: Era, how: signal.Signals, code: int
) -> None:
    told: list[Any] = []
    with served(library, "1", program=gate.program, code=code) as server, anyio.fail_after(60):
        async with pruning(server, Place(transport, library, server), era, gate, told, how):
            await to_thread.run_sync(server.process.wait, 30)
        assert told[0].is_error
        assert "The server was stopped before this was done" in text_of(told[0])


async def test_who_asks_twice_waits_for_no_call(library: Path, gate: Gate) -> None:
    with served(library, "3600", program=gate.program, code=130) as server, anyio.fail_after(60):
        session = await to_thread.run_sync(opened, server)
        wire = await to_thread.run_sync(calling, server, "legacy", session)
        await gate.started()
        server.process.send_signal(signal.SIGINT)
        await refused(server)
        server.process.send_signal(signal.SIGINT)
        await to_thread.run_sync(server.process.wait, 30)
        wire.close()


async def refused(server: Served) -> None:
    """Wait until the server takes no connection."""
    while True:
        try:
            await to_thread.run_sync(lambda: server.request("GET", "/health"))
        except OSError:
            return


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT])
async def test_clients_that_only_listen_keep_no_server(
    library: Path, transport: TransportName, how: signal.Signals
) -> None:
    with served(library, code=0 if how is signal.SIGTERM else 130) as server:
        async with Place(transport, library, server).client("legacy") as client:
            await client.call_tool("history_search", {"query": "walrus", "all": True})
            await to_thread.run_sync(server.stop, how)
