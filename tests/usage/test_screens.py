"""What a terminal shows of a context: pictures kept as text, and rules for windows of any size."""

from __future__ import annotations

import re
from itertools import product
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from rich.cells import cell_len

from prune_mcp.engine import Engine
from prune_mcp.engine.usage.answer import UsageAnswer
from prune_mcp.engine.usage.usage import UsageRequest, usage
from prune_mcp.server.terminal.looks import LOOKS, Window
from prune_mcp.server.terminal.map import screen
from prune_mcp.sessions.transcript import open_transcript
from tests.usage.showcase import showcase

pytestmark = pytest.mark.requirement("USE-ROWS")

SCREENS = Path(__file__).parent / "screens"
SIZES = list(product((60, 86, 120), (10, 24, 50)))
NAMES = [f"{columns}x{rows}" for columns, rows in SIZES]
WINDOWS = {name: Window(*size) for name, size in zip(NAMES, SIZES, strict=True)}
WINDOWS["86x24-letters"] = Window(86, 24, letters=True)
FIGURES = re.compile(r" ~?([\d,]+) +(?:<1|\d+) %$")


def weighed(folder: Path) -> UsageAnswer:
    """What the showcase holds."""
    engine = Engine({"PRUNE_MCP_HOME": str(folder / "prune"), "HOME": str(folder)})
    found, _ = usage(engine.store, open_transcript(showcase().write(folder)), None, UsageRequest())
    engine.close()
    return found


def drawn(answer: UsageAnswer, window: Window) -> list[str]:
    """The lines in a window, without colours."""
    return [line.plain.rstrip() for line in screen(answer, window)]


@pytest.fixture(scope="module")
def answer(tmp_path_factory: pytest.TempPathFactory) -> UsageAnswer:
    return weighed(tmp_path_factory.mktemp("showcase"))


@pytest.mark.parametrize("name", WINDOWS)
def test_the_screen_is_the_one_that_was_looked_at(answer: UsageAnswer, name: str) -> None:
    kept = (SCREENS / f"{name}.txt").read_text(encoding="utf-8")
    assert "\n".join(drawn(answer, WINDOWS[name])) + "\n" == kept


def test_a_terminal_with_letters_alone_is_shown_no_signs(answer: UsageAnswer) -> None:
    shown = set("".join(drawn(answer, WINDOWS["86x24-letters"])))
    assert not shown & {look.sign for look in LOOKS.values()}


@settings(max_examples=200, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(columns=st.integers(40, 200), rows=st.integers(8, 90), letters=st.booleans())
def test_any_window_is_kept_to_and_what_it_lists_sums_to_the_whole(
    answer: UsageAnswer, columns: int, rows: int, letters: bool
) -> None:
    lines = drawn(answer, Window(columns, rows, letters))
    assert len(lines) < rows
    assert max(map(cell_len, lines)) <= columns
    listed = [found for line in lines if line and line[0] != " " and (found := FIGURES.search(line))]
    assert sum(int(found[1].replace(",", "")) for found in listed) == answer.total + (answer.free or 0)


@pytest.mark.parametrize(("columns", "rows"), SIZES, ids=NAMES)
def test_the_map_stands_only_where_it_can_be_read(answer: UsageAnswer, columns: int, rows: int) -> None:
    signs = [line for line in drawn(answer, Window(columns, rows)) if re.match(r"^(?:\S )+\S$", line)]
    assert len(signs) == (0 if rows == 10 else 6)
    assert len({len(line) for line in signs}) <= 1
    if signs:
        shown = set("".join(signs)) - {" "}
        held = {row.category for row in answer.rows} | {"free"}
        assert shown == {LOOKS[category].sign for category in held}
    assert not any(re.match(r"^(?:\S )+\S$", line) for line in drawn(answer, Window(59, rows)))


def test_no_two_categories_look_alike_without_colours() -> None:
    for looks in ([look.sign for look in LOOKS.values()], [look.letter for look in LOOKS.values()]):
        assert len(set(looks)) == len(looks)
        assert all(cell_len(look) == 1 for look in looks)
