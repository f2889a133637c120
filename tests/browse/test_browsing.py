"""What the keys of the browser do."""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

pytest.importorskip("textual", reason="the browser takes the extra prune-mcp[browse]")

from textual.pilot import Pilot

from prune_mcp.engine import Engine
from prune_mcp.engine.answers import EngineError, Recovered, TreeAnswer
from prune_mcp.server.terminal.browse import Browser, browser
from prune_mcp.server.terminal.original import page_of
from tests.browse.drawing import screen
from tests.browse.showcase import outputs, pruned

pytestmark = pytest.mark.requirement("REC-TREE")


@pytest.fixture
def showcase(tmp_path: Path) -> Iterator[tuple[Engine, TreeAnswer]]:
    engine, answer = pruned(tmp_path)
    yield engine, answer
    engine.close()


@asynccontextmanager
async def shown(app: Browser) -> AsyncIterator[Pilot[None]]:
    async with app.run_test(size=(100, 30)) as pilot:
        yield pilot


async def pressed(pilot: Pilot[None], *keys: str) -> str:
    """The screen after these keys."""
    await pilot.press(*keys)
    await pilot.pause()
    return "\n".join(screen(pilot.app))


async def test_a_flush_folds_and_unfolds_on_space(showcase: tuple[Engine, TreeAnswer]) -> None:
    async with shown(browser(*showcase)) as pilot:
        assert 't2 Bash "run 1"' not in await pressed(pilot, "space")
        assert 't2 Bash "run 1"' in await pressed(pilot, "space")


async def test_left_folds_the_row_that_one_is_in_and_right_unfolds_it(
    showcase: tuple[Engine, TreeAnswer],
) -> None:
    async with shown(browser(*showcase)) as pilot:
        assert "t2 Bash" not in await pressed(pilot, "down", "left", "left")
        assert "t2 Bash" in await pressed(pilot, "right")


async def test_what_was_found_is_unfolded_and_the_search_goes_round(
    showcase: tuple[Engine, TreeAnswer],
) -> None:
    async with shown(browser(*showcase)) as pilot:
        assert 't1 Bash "run 0"' not in await pressed(pilot)
        assert '5,000 lines: t1 Bash "run 0"' in await pressed(pilot, "slash", *"RUN 0", "enter")
        assert "1 of 12: bash" in await pressed(pilot, "home", "slash", *"bash", "enter")
        assert "12 of 12: bash" in await pressed(pilot, "N")
        assert "1 of 12: bash" in await pressed(pilot, "n")
        assert "no row has nowhere" in await pressed(pilot, "slash", *"nowhere", "enter")


async def test_the_pages_of_an_original_are_all_of_it(showcase: tuple[Engine, TreeAnswer]) -> None:
    engine, answer = showcase
    whole = outputs()[2]
    read: list[Recovered] = []

    def watched(ref: str, offset: int) -> Recovered:
        read.append(page_of(engine, answer.session, ref, offset))
        return read[-1]

    async with shown(Browser(answer, watched)) as pilot:
        last = await pressed(pilot, "slash", *"run 0", "enter", "enter", *["n"] * 9)
        assert "page 7 of 7" in last
        assert "00000 GET" in await pressed(pilot, *["p"] * 9)
        await pressed(pilot, "escape", "slash", *"run 2", "enter", "enter")
    assert "".join(page.text for page in read[:7]) == outputs()[0]
    assert read[-1].text == whole


async def test_recorded_text_cannot_drive_the_terminal(showcase: tuple[Engine, TreeAnswer]) -> None:
    async with shown(browser(*showcase)) as pilot:
        page = await pressed(pilot, "down", "enter")
    assert "\x1b" not in page
    assert "\u241b]0;owned\u2407\u241b[2J half a pair: \ufffd." in page
    assert "[bold]no markup[/bold]" in page


async def test_escape_leads_back_to_the_row_and_q_ends(showcase: tuple[Engine, TreeAnswer]) -> None:
    app = browser(*showcase)
    async with shown(app) as pilot:
        tree = await pressed(pilot, "down")
        assert await pressed(pilot, "enter") != tree
        assert await pressed(pilot, "escape") == tree
        await pilot.press("q")
    assert app.return_code == 0


async def test_an_original_that_cannot_be_read_is_told_and_the_tree_stays(
    showcase: tuple[Engine, TreeAnswer],
) -> None:
    def fails(ref: str, offset: int) -> Recovered:
        raise EngineError(f"{ref} is gone\x1b[2J")

    async with shown(Browser(showcase[1], fails)) as pilot:
        shown_now = await pressed(pilot, "down", "enter")
    assert "t2 is gone\u241b[2J" in shown_now
    assert "flush 1" in shown_now


async def test_rows_keep_their_columns_while_the_window_changes(showcase: tuple[Engine, TreeAnswer]) -> None:
    async with shown(browser(*showcase)) as pilot:
        await pressed(pilot, "a")
        for columns in (60, 73, 101, 200, 40):
            await pilot.resize_terminal(columns, 30)
            lines = (await pressed(pilot)).splitlines()
            heads = next(line for line in lines if line.startswith("what"))
            row = next(line for line in lines if "run 4" in line)
            assert len(row) == len(heads)
            assert row.endswith("2,201")
            assert row[: heads.index("chars") + len("chars")].endswith("7,090")


async def test_without_colors_it_shows_the_same(
    showcase: tuple[Engine, TreeAnswer], monkeypatch: pytest.MonkeyPatch
) -> None:
    async with shown(browser(*showcase)) as pilot:
        colored = await pressed(pilot, "a")
    monkeypatch.setenv("NO_COLOR", "1")
    async with shown(browser(*showcase)) as pilot:
        assert await pressed(pilot, "a") == colored
        assert "characters 1 to" in await pressed(pilot, "down", "enter")
