"""Which outputs count as the same."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from prune_mcp.engine import Engine
from tests.pruning.build import Talk, call, log, results

pytestmark = pytest.mark.requirement("PRU-DEDUP")
LONG = log(40)


@pytest.mark.parametrize(
    ("again", "same"),
    [
        (LONG, True),
        (LONG.replace("\n", "\r\n"), True),
        (LONG.replace("\n", " \t\n"), True),
        (f"\n\n  {LONG}\n\n", True),
        (LONG.replace("\n", "\n "), False),
        (LONG.upper(), False),
        (LONG.replace("step 0003", "step  0003"), False),
        (f"{LONG}\nmore", False),
    ],
)
def test_line_ends_and_blanks_around_lines_make_no_difference_and_all_else_does(
    make_engine: Callable[..., Engine], again: str, same: bool
) -> None:
    talk = Talk().prompt("go").turn(call("Bash", LONG, command="a")).turn(call("Bash", again, command="b"))
    answer = make_engine().prune_messages(talk.turns(4).answer("done").messages)
    assert ("same output as t1" in results(answer.messages)["c2"]) is same
    assert make_engine().recover(["t2"], session=answer.session).items[0].text == again


def test_equal_output_of_a_call_with_the_same_id_is_another_occurrence(make_engine: Callable[..., Engine]) -> None:
    talk = Talk().prompt("go")
    for _ in range(2):
        talk.turn(call("Bash", LONG, id="same", command="make"))
    answer = make_engine().prune_messages(talk.turns(4).answer("done").messages)
    items = make_engine().recover(["same"], session=answer.session).items
    assert [(item.ref, item.text) for item in items] == [("t1", LONG), ("t2", LONG)]
    assert "same output as t1" in results(answer.messages)["same"]


def test_a_third_repeat_points_to_the_first_across_prunes(make_engine: Callable[..., Engine]) -> None:
    engine = make_engine()
    talk = Talk().prompt("go")
    for number in range(3):
        talk.turn(call("Bash", LONG, command=f"make {number}")).turns(4)
        engine.prune_messages(talk.messages)
    shown = results(engine.prune_messages(talk.answer("done").messages).messages)
    assert "same output as t1" in shown["c6"]
    assert "same output as t1" in shown["c11"]
