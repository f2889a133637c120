"""What the server's tests share: clients of both eras, a fake engine that counts its calls, real processes."""

from __future__ import annotations

import os
import sys
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any, Literal, cast

import pytest
from mcp import Client, StdioServerParameters
from mcp.types import CallToolResult, TextContent

from prune_mcp.engine.answers import PruneAnswer, RecoverAnswer, TreeAnswer
from prune_mcp.engine.engine import Engine
from prune_mcp.server.app import make_server

Era = Literal["auto", "legacy"]
Connect = Callable[[Engine], AbstractAsyncContextManager[Client]]


@pytest.fixture(params=["auto", "legacy"])
def era(request: pytest.FixtureRequest) -> Era:
    """The protocol's two eras: 2026-07-28, and the handshake of 2025-11-25."""
    era: Era = request.param
    return era


class FakeEngine:
    """Stands where the engine does and records the calls that reach it; `fails` is raised by every call."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, Mapping[str, Any]]] = []
        self.fails: Exception | None = None
        self.answer = PruneAnswer("applied", "messages-returned", "", "s1", 100, 40, 2.5, ["t1"], [], "40 left")

    def prune_messages(self, payload: object, **options: Any) -> PruneAnswer:
        self._called("prune_messages", payload=payload, **options)
        self.answer.messages = payload
        return self.answer

    def prune_transcript(self, path: Path, **options: Any) -> PruneAnswer:
        self._called("prune_transcript", path=path, **options)
        return self.answer

    def recover(self, refs: list[str], **options: Any) -> RecoverAnswer:
        self._called("recover", refs=refs, **options)
        return RecoverAnswer(notes=["fake"])

    def tree(self, session: str | None, **options: Any) -> TreeAnswer:
        self._called("tree", session=session, **options)
        return TreeAnswer(session or "", "")

    def close(self) -> None:
        self.calls.append(("close", {}))

    def _called(self, name: str, **values: Any) -> None:
        self.calls.append((name, values))
        if self.fails is not None:
            raise self.fails

    @property
    def engine(self) -> Engine:
        """The fake, in the engine's place."""
        return cast(Engine, self)


@pytest.fixture
def fake() -> FakeEngine:
    return FakeEngine()


@pytest.fixture
def connect(era: Era) -> Connect:
    """Connects a client of this era to a server, in memory, whose calls reach the engine given."""

    @asynccontextmanager
    async def connect(engine: Engine) -> AsyncIterator[Client]:
        async with Client(make_server(lambda: engine), mode=era) as client:
            yield client

    return connect


@pytest.fixture
def command(home: Path) -> StdioServerParameters:
    """The server as a process of its own, in a home of its own."""
    return StdioServerParameters(command=sys.executable, args=["-m", "prune_mcp.server"], env=environment(home))


def environment(home: Path) -> dict[str, str]:
    """A process's environment in a scratch home, without the host that runs these tests."""
    kept = ("PATH", "SYSTEMROOT", "TEMP", "LANG")
    own = {"HOME": str(home), "USERPROFILE": str(home), "PRUNE_MCP_HOME": str(home / "prune-mcp")}
    return {name: os.environ[name] for name in kept if name in os.environ} | own


def text_of(result: CallToolResult) -> str:
    """The first text of an answer."""
    block = result.content[0]
    assert isinstance(block, TextContent)
    return block.text
