"""Output that was just recovered, and what is no such output."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from prune_mcp.engine import Engine
from tests.pruning.build import Talk, call, log, results

pytestmark = pytest.mark.requirement("PRU-GRACE")
LONG = log(60)


def whole(engine: Engine, tool: str, later: int) -> bool:
    """Whether such a call's output is whole after that many more prompts."""
    talk = Talk().prompt("go").turn(call(tool, LONG, refs=["t1"])).answer("ok")
    for number in range(later):
        talk.prompt(f"and {number}").answer("ok")
    return bool(results(engine.prune_messages(talk.messages, keep_turns=0).messages).get("c1") == LONG)


@pytest.mark.parametrize(
    ("grace", "later", "expected"),
    [(3, 0, True), (3, 3, True), (3, 4, False), (1, 1, True), (1, 2, False), (0, 0, False), (0, 1, False)],
)
def test_grace_lasts_so_many_prompts_and_zero_is_none(
    make_engine: Callable[..., Engine], grace: int, later: int, expected: bool
) -> None:
    assert whole(make_engine(recovery_grace_turns=grace), "context_tree_query", later) is expected


@pytest.mark.parametrize("tool", ["Bash", "mcp__prune-mcp__search_history", "context_tree_query_log"])
def test_other_tools_have_no_grace(make_engine: Callable[..., Engine], tool: str) -> None:
    assert not whole(make_engine(), tool, 0)


def test_of_two_recoveries_under_one_id_only_the_late_one_is_in_its_grace(
    make_engine: Callable[..., Engine],
) -> None:
    talk = (
        Talk().prompt("go").turn(call("context_tree_query", log(60, "early"), id="same", refs=["t1"])).answer("ok")
    )
    for number in range(4):
        talk.prompt(f"and {number}").answer("ok")
    talk.turn(call("context_tree_query", log(60, "late"), id="same", refs=["t2"])).answer("ok")
    view = str(make_engine().prune_messages(talk.messages, keep_turns=0).messages)
    assert log(60, "late").replace("\n", "\\n") in view
    assert log(60, "early").replace("\n", "\\n") not in view
