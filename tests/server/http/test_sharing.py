"""Many connections are one server: one engine, one store, opened once and closed once."""

from __future__ import annotations

import os
from pathlib import Path

import anyio
import pytest
from mcp import Client
from mcp.types import CallToolResult

from prune_mcp.engine.engine import Engine
from prune_mcp.server.worker import Worker
from tests.server.conftest import FakeEngine, text_of
from tests.server.http.cases import ARCHIVED, MESSAGES
from tests.server.http.serving import Place, Served

pytestmark = pytest.mark.requirement("SRV-HTTP", "SRV-ERAS")

CLIENTS = 6


async def test_several_clients_at_once_share_one_store(http: Served, library: Path) -> None:
    places = [Place("sse" if number % 2 else "streamable", library, http) for number in range(CLIENTS)]
    answers: list[CallToolResult] = []

    async def work(place: Place, number: int) -> None:
        async with place.client("legacy" if number % 3 else "auto") as client:
            messages = [{"role": "user", "content": f"client {number}"}, *MESSAGES]
            pruned = await client.call_tool("prune_context", {"messages": messages})
            assert pruned.structured_content is not None, text_of(pruned)
            session = pruned.structured_content["session"]
            answers.append(await client.call_tool("context_tree_query", {"session": session, "refs": ["t1"]}))

    async with anyio.create_task_group() as clients:
        for number, place in enumerate(places):
            clients.start_soon(work, place, number)
    assert len(answers) == CLIENTS
    assert not any(answer.is_error for answer in answers)
    # What any of them archived, all of them have.
    async with places[0].client() as client:
        assert not (await client.call_tool("context_tree_query", {"session": ARCHIVED})).is_error


async def test_the_engine_is_opened_once_for_all_and_closed_by_the_last() -> None:
    engine = FakeEngine()
    opened: list[Engine] = []

    def open() -> Engine:
        opened.append(engine.engine)
        return engine.engine

    worker = Worker(open)
    async with worker.entered() as first:
        async with worker.entered() as second:
            assert first is second
            for _ in range(3):
                await second.run(lambda engine: engine.tree(None))
        assert ("close", {}) not in engine.calls
        await first.run(lambda engine: engine.tree(None))
    assert len(opened) == 1
    assert engine.calls[-1] == ("close", {})


async def test_a_server_that_was_left_by_all_can_be_entered_again(home: Path) -> None:
    from prune_mcp.server.app import make_server

    server = make_server(lambda: Engine(os.environ))
    for _ in range(2):
        async with Client(server) as client:
            pruned = await client.call_tool("prune_context", {"messages": MESSAGES})
            assert not pruned.is_error
