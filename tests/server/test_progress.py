"""Long work reports progress, and a cancelled call ends it without ending the server."""

from __future__ import annotations

import os
import threading
from pathlib import Path
from typing import Any

import anyio
import pytest
from anyio import to_thread

from prune_mcp.engine.answers import PruneAnswer
from prune_mcp.engine.engine import Engine
from prune_mcp.engine.prune import archive
from tests.server.archived import LONG, conversation
from tests.server.conftest import Connect, FakeEngine, text_of
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


@pytest.mark.requirement("SRV-PROGRESS")
@pytest.mark.parametrize("tool", ["prune_context", "collapse_turns", "context_usage"])
@pytest.mark.parametrize("on_disk", [True, False])
async def test_every_tool_that_archives_tells_of_it(
    connect: Connect, home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, tool: str, on_disk: bool
) -> None:
    monkeypatch.setattr(archive, "SLICE_BYTES", len(LONG))
    path = write_session(home, "s-one", tmp_path, outputs=[LONG, f"1{LONG}", f"2{LONG}"])
    given = {"session": str(path)} if on_disk else {"messages": conversation(LONG, f"1{LONG}", f"2{LONG}")}
    told: list[str | None] = []

    async def hear(progress: float, total: float | None, message: str | None) -> None:
        told.append(message)

    engine = Engine(os.environ)
    async with connect(engine) as client:
        result = await client.call_tool(tool, given, progress_callback=hear)
    assert not result.is_error, text_of(result)
    assert told == ["archiving outputs"] * 3
