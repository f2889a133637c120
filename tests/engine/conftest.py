"""Engines on one scratch store, and transcripts to prune."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from prune_mcp.engine import Engine, Settings
from prune_mcp.pruning.options import PruneOptions
from tests.sessions.transcripts.writing import ClaudeFile


@pytest.fixture
def env(tmp_path: Path) -> dict[str, str]:
    return {"PRUNE_MCP_HOME": str(tmp_path / "prune"), "HOME": str(tmp_path / "user")}


@pytest.fixture
def make_engine(env: dict[str, str]) -> Iterator[Callable[..., Engine]]:
    """Engines on one store, as after a restart; `options` are fields of PruneOptions."""
    made: list[Engine] = []

    def make(**options: object) -> Engine:
        made.append(Engine(env, settings=Settings(prune=PruneOptions(**options))))  # type: ignore[arg-type]
        return made[-1]

    yield make
    for engine in made:
        engine.close()


@pytest.fixture
def session(tmp_path: Path) -> ClaudeFile:
    """A Claude Code transcript in its project's folder, still empty."""
    return ClaudeFile(tmp_path / "user/.claude/projects/-home-user-app/5e551014-0000-4000-8000-000000000001.jsonl")
