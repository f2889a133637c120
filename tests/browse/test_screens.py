"""What the browser shows in windows of many sizes: screens that were looked at, kept as text."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

pytest.importorskip("textual", reason="the browser takes the extra prune-mcp[browse]")

from rich.cells import cell_len

from prune_mcp.engine import Engine
from prune_mcp.engine.answers import TreeAnswer
from tests.browse.scenes import NAMES, SCREENS, SIZES, drawn
from tests.browse.showcase import pruned

pytestmark = pytest.mark.requirement("REC-TREE")


@pytest.fixture(scope="module")
def showcase(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[Engine, TreeAnswer]]:
    engine, answer = pruned(tmp_path_factory.mktemp("showcase"))
    yield engine, answer
    engine.close()


@pytest.mark.parametrize("name", NAMES)
async def test_the_screen_is_the_one_that_was_looked_at(showcase: tuple[Engine, TreeAnswer], name: str) -> None:
    lines = await drawn(*showcase, name)
    assert "\n".join(lines) + "\n" == Path(SCREENS / f"{name}.txt").read_text(encoding="utf-8")
    columns, rows = SIZES[name.split("-")[1]]
    assert len(lines) == rows
    assert max(map(cell_len, lines)) <= columns
