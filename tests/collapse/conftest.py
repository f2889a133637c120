"""What the tests of collapsing share: engines, and sessions to be written."""

from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path

import pytest
from mcp import StdioServerParameters

from prune_mcp.engine import Engine
from tests.server.conftest import environment
from tests.sessions.transcripts.writing import SESSION, ClaudeFile, PiFile


@pytest.fixture
def session(tmp_path: Path) -> ClaudeFile:
    """A Claude Code session to be written."""
    return ClaudeFile(tmp_path / f"{SESSION}.jsonl")


@pytest.fixture
def pi_session(tmp_path: Path) -> PiFile:
    """A pi session to be written."""
    return PiFile(tmp_path / f"2026-01-01T00-00-00-000Z_{SESSION}.jsonl")


@pytest.fixture
def engine(make_engine: Callable[..., Engine]) -> Engine:
    """An engine with the default settings."""
    return make_engine()


@pytest.fixture
def command(home: Path) -> StdioServerParameters:
    """The server as a process of its own, in a home of its own."""
    return StdioServerParameters(command=sys.executable, args=["-m", "prune_mcp.server"], env=environment(home))
