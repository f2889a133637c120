"""Batches at their exact boundary: what is summed up, what is not, and what waits for more."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import pytest

from prune_mcp.engine import Engine
from prune_mcp.engine.answers import PruneAnswer
from tests.pruning.build import Talk, call, results

pytestmark = [pytest.mark.requirement("PRU-BATCH"), pytest.mark.requirement("PRU-TRIVIAL")]

Make = Callable[..., Engine]
Mode = Literal["turn", "agent-message"]


def output(name: str, chars: int, letter: str = "x") -> str:
    """An output of so many characters that no other equals, and whose stub is smaller."""
    return f"{name}\n".ljust(chars, letter)


def decided(answer: PruneAnswer, step: str) -> int:
    """How many outputs a step decided on."""
    return sum(one["outputs"] for one in answer.outcomes if one["step"] == step)


def followed(talk: Talk) -> list[dict[str, Any]]:
    """The messages once that exchange is answered, and a later one keeps the newest turns."""
    return talk.answer("done").prompt("and now?").turns(3).messages


@pytest.mark.parametrize(("least", "pruned"), [(0, 2), (999, 2), (1000, 2), (1001, 0)])
@pytest.mark.parametrize("mode", ["turn", "agent-message"])
def test_the_outputs_of_a_turn_are_summed_up_and_the_threshold_itself_is_enough(
    make_engine: Make, mode: Mode, least: int, pruned: int
) -> None:
    calls = [call("Bash", output(name, 500), command=f"make {name}") for name in ("one", "two")]
    engine = make_engine(min_batch_chars=least, batching_mode=mode)
    answer = engine.prune_messages(followed(Talk().prompt("go").turn(*calls)))
    assert (decided(answer, "digest"), decided(answer, "trivial")) == (pruned, 2 - pruned)


@pytest.mark.parametrize(("mode", "pruned"), [("turn", 0), ("agent-message", 2)])
def test_the_turns_of_an_exchange_are_summed_up_by_exchange_alone(
    make_engine: Make, mode: Mode, pruned: int
) -> None:
    talk = Talk().prompt("go")
    for name in ("one", "two"):
        talk.turn(call("Bash", output(name, 500), command=f"make {name}"), text=f"now {name}")
    answer = make_engine(batching_mode=mode).prune_messages(followed(talk))
    assert (decided(answer, "digest"), decided(answer, "trivial")) == (pruned, 2 - pruned)


@pytest.mark.parametrize("mode", ["turn", "agent-message"])
def test_exchanges_are_never_summed_up(make_engine: Make, mode: Mode) -> None:
    talk = Talk()
    for name in ("one", "two", "three"):
        talk.prompt(name).turn(call("Bash", output(name, 900), command=f"make {name}")).answer("done")
    answer = make_engine(batching_mode=mode).prune_messages(talk.prompt("and now?").turns(3).messages)
    assert (decided(answer, "digest"), decided(answer, "trivial")) == (0, 3)


def test_characters_count_and_not_bytes(make_engine: Make) -> None:
    talk = Talk().prompt("go").turn(call("Bash", output("one", 999, "é"), command="make"))
    assert decided(make_engine().prune_messages(followed(talk)), "trivial") == 1


def test_what_is_protected_or_empty_adds_nothing(make_engine: Make) -> None:
    engine = make_engine(protected_tools=("Skill",))
    calls = [
        call("Skill", output("skill", 900), name="how"),
        call("Bash", output("one", 999), command="make"),
        call("Bash", "", command="true"),
    ]
    answer = engine.prune_messages(followed(Talk().prompt("go").turn(*calls)))
    assert (decided(answer, "protected"), decided(answer, "trivial"), decided(answer, "digest")) == (1, 2, 0)


def test_a_turn_of_nothing_but_empty_outputs_is_no_batch_to_look_at(make_engine: Make) -> None:
    calls = [call("Bash", "", command=f"true {number}") for number in range(2)]
    messages = followed(Talk().prompt("go").turn(*calls))
    for least in (0, 1000):
        answer = make_engine(min_batch_chars=least).prune_messages(messages, session=f"least-{least}")
        assert answer.messages == messages
        assert answer.why == "nothing-to-prune"


@pytest.mark.requirement("PRU-FRONTIER")
def test_what_waits_for_more_is_not_passed_until_more_has_come_or_none_can(make_engine: Make) -> None:
    engine = make_engine(keep_turns=0)
    talk = Talk().prompt("go").turn(call("Bash", output("small", 900), command="make small"))
    first = engine.prune_messages(talk.messages)
    assert (decided(first, "digest"), decided(first, "trivial")) == (0, 1)
    assert engine.due_messages(talk.messages, session=first.session).usage.unpruned_results == 1
    talk.answer("done")
    last = engine.prune_messages(talk.messages, session=first.session)
    assert decided(last, "trivial") == 1
    assert results(last.messages)["c1"] == output("small", 900)
    assert engine.due_messages(talk.messages, session=first.session).usage.unpruned_results == 0


@pytest.mark.requirement("PRU-FRONTIER")
def test_a_turn_that_is_over_waits_for_nothing_and_holds_nothing_back(make_engine: Make) -> None:
    talk = Talk().prompt("go")
    talk.turn(call("Bash", output("small", 500), command="make small"))
    talk.turn(call("Bash", output("large", 5000), command="make large"))
    messages = talk.turns(3).messages
    engine = make_engine(batching_mode="turn")
    first = engine.prune_messages(messages)
    assert [(one["step"], one["reason"]) for one in first.outcomes if one["step"] == "trivial"] == [
        ("trivial", "batch under 1,000 characters")
    ]
    again = engine.prune_messages(messages, session=first.session)
    assert (decided(again, "trivial"), decided(again, "digest")) == (0, 0)
    assert "decided by an earlier prune" in [one["reason"] for one in again.outcomes]
