"""Clients that end their connection, or are gone, while a call of theirs is at work."""

from __future__ import annotations

from pathlib import Path

import anyio
import pytest
from anyio import to_thread

from tests.server.conftest import text_of
from tests.server.http.cases import ARCHIVED, SESSION
from tests.server.http.gate import Gate
from tests.server.http.raw import calling, headers, message, opened
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
