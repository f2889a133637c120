"""Calls without results and results without calls."""

from __future__ import annotations

import json
from typing import Any

import pytest

from prune_mcp.engine.engine import Engine
from tests.pruning.build import Talk, call, log


def kinds(messages: list[dict[str, Any]]) -> list[str]:
    return [b["type"] for m in messages if isinstance(m["content"], list) for b in m["content"]]


@pytest.mark.requirement("PRU-ORPHAN", "PRU-VALID")
def test_a_result_whose_call_is_gone_becomes_text_with_a_ref(engine: Engine) -> None:
    talk = Talk().prompt("go").turn(call("Bash", log(40), command="make")).answer("done")
    broken = [talk.messages[0], *talk.messages[2:]]
    answer = engine.prune_messages(broken)
    assert "tool_result" not in kinds(answer.messages)
    assert "t1" in json.dumps(answer.messages)
    assert "t1" in answer.refs
    assert engine.recover(["t1"], session=answer.session).items[0].text == log(40)


@pytest.mark.requirement("PRU-ORPHAN", "PRU-VALID")
def test_a_call_that_was_never_answered_becomes_text_and_its_arguments_come_back(engine: Engine) -> None:
    command = "python - <<'E'\n" + log(20) + "\nE"
    talk = Talk().prompt("go").turn(call("Bash", "ok", command="true"), call("Bash", "lost", command=command))
    del talk.messages[2]["content"][1]
    answer = engine.prune_messages(talk.answer("done").messages)
    assert kinds(answer.messages).count("tool_use") == 1
    ref = next(ref for ref in answer.refs if ref.endswith(":args"))
    whole = engine.recover([ref], session=answer.session).items[0].text
    assert json.loads(whole) == {"command": command}
    assert engine.prune_messages(answer.messages).messages == answer.messages


@pytest.mark.requirement("PRU-ORPHAN")
def test_a_second_result_of_one_call_is_an_orphan(engine: Engine) -> None:
    talk = Talk().prompt("go").turn(call("Bash", "first answer", command="true"))
    talk.messages[2]["content"].append({"type": "tool_result", "tool_use_id": "c1", "content": log(30)})
    answer = engine.prune_messages(talk.answer("done").messages)
    assert kinds(answer.messages).count("tool_result") == 1
    assert engine.recover(["t2"], session=answer.session).items[0].text == log(30)


@pytest.mark.requirement("PRU-VALID")
def test_a_reused_call_id_keeps_each_result_with_its_own_call(engine: Engine) -> None:
    talk = Talk().prompt("go")
    for number in range(6):
        talk.turn(call("Bash", log(40, f"run{number}"), id="same", command=f"make {number}"))
    answer = engine.prune_messages(talk.answer("done").messages)
    assert kinds(answer.messages).count("tool_result") == 6
    for number in range(3):
        assert engine.recover([f"t{number + 1}"], session=answer.session).items[0].text == log(40, f"run{number}")
    every = engine.recover(["same"], session=answer.session, budget=10**6).items
    assert [item.text for item in every] == [log(40, f"run{n}") for n in range(6)]


@pytest.mark.requirement("PRU-ORPHAN", "PRU-NOOP")
@pytest.mark.parametrize("answered", [0, 1])
def test_a_call_of_the_newest_turn_waits_for_its_result(engine: Engine, answered: int) -> None:
    talk = Talk().prompt("go").turn(call("Bash", log(60), command="make")).turns(4)
    talk.turn(call("Bash", "a", command="a"), call("mcp__prune-mcp__prune_context", "b"))
    last = talk.messages.pop()
    if answered:
        talk.messages.append({**last, "content": last["content"][:1]})
    view = engine.prune_messages(talk.messages).messages
    assert view[-1 - answered :] == talk.messages[-1 - answered :]
    assert view != talk.messages
    assert kinds(view).count("tool_use") == kinds(view).count("tool_result") + 2 - answered
