"""An engine on a scratch home."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from prune_mcp.engine.engine import Engine
from prune_mcp.engine.settings import Settings
from prune_mcp.pruning.options import PruneOptions


@pytest.fixture
def make_engine(tmp_path: Path) -> Iterator[Callable[..., Engine]]:
    """Engines on one store; `options` are fields of PruneOptions."""
    made: list[Engine] = []

    def make(**options: object) -> Engine:
        settings = Settings(prune=PruneOptions(**options))  # type: ignore[arg-type]
        made.append(Engine({"PRUNE_MCP_HOME": str(tmp_path / "prune"), "HOME": str(tmp_path)}, settings=settings))
        return made[-1]

    yield make
    for engine in made:
        engine.close()


@pytest.fixture
def engine(make_engine: Callable[..., Engine]) -> Engine:
    """An engine with the default settings."""
    return make_engine()
