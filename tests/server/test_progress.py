"""Long work reports progress, and a cancelled call ends it without ending the server."""

from __future__ import annotations

import threading
from pathlib import Path
from typing import Any

import anyio
import pytest
from anyio import to_thread

from prune_mcp.engine.answers import PruneAnswer
from tests.server.conftest import Connect, FakeEngine
from tests.server.transcripts import write_session


class SlowEngine(FakeEngine):
    """Prunes until its progress function ends the work."""

    def __init__(self) -> None:
        super().__init__()
        self.started, self.ended = threading.Event(), threading.Event()

    def prune_transcript(self, path: Path, **options: Any) -> PruneAnswer:
        try:
            while True:
                options["progress"](1, 2, "archiving outputs")
                self.started.set()
        finally:
            self.ended.set()


class SteadyEngine(FakeEngine):
    """Reports two steps."""

    def prune_transcript(self, path: Path, **options: Any) -> PruneAnswer:
        options["progress"](1, 3, "archiving outputs")
        options["progress"](2, 3, "archiving outputs")
        return self.answer


async def test_progress_reaches_the_client(connect: Connect, home: Path, tmp_path: Path) -> None:
    path = write_session(home, "s-one", tmp_path)
    told: list[tuple[float, float | None, str | None]] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        told.append((progress, total, message))

    async with connect(SteadyEngine().engine) as client:
        await client.call_tool("prune_context", {"session": str(path)}, progress_callback=hear)
    assert told == [(1, 3, "archiving outputs"), (2, 3, "archiving outputs")]


@pytest.mark.requirement("SRV-ERAS")
async def test_a_cancelled_call_ends_its_work_and_the_server_goes_on(
    connect: Connect, home: Path, tmp_path: Path
) -> None:
    path = write_session(home, "s-one", tmp_path)
    engine = SlowEngine()
    with anyio.fail_after(20):
        async with connect(engine.engine) as client, anyio.create_task_group() as calls:
            calls.start_soon(client.call_tool, "prune_context", {"session": str(path)})
            assert await to_thread.run_sync(engine.started.wait, 10)
            calls.cancel_scope.cancel()
            with anyio.CancelScope(shield=True):
                assert await to_thread.run_sync(engine.ended.wait, 10)
                assert len((await client.list_tools()).tools) > 1
