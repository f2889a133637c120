"""Calls and results that do not stand next to each other, in arrays that any API would refuse."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from prune_mcp.engine import Engine
from tests.pruning.build import log
from tests.validity import check_openai_chat

pytestmark = pytest.mark.requirement("PRU-ORPHAN", "PRU-VALID")


@pytest.fixture
def engine(make_engine: Any) -> Engine:
    """An engine with the default settings."""
    made: Engine = make_engine()
    return made


def user(text: str) -> dict[str, Any]:
    return {"role": "user", "content": text}


def calls(*ids: str) -> dict[str, Any]:
    function = {"name": "bash", "arguments": '{"command": "make"}'}
    asked = [{"id": id, "type": "function", "function": function} for id in ids]
    return {"role": "assistant", "content": None, "tool_calls": asked}


def result(id: str, text: str = "ok") -> dict[str, Any]:
    return {"role": "tool", "tool_call_id": id, "content": text}


DONE = {"role": "assistant", "content": "done"}
SYSTEM = {"role": "system", "content": "Be brief."}


def kept(view: Sequence[Any]) -> tuple[list[str], list[str]]:
    """The ids of calls and of results that are left."""
    asked = [call["id"] for message in view for call in message.get("tool_calls") or ()]
    return asked, [message["tool_call_id"] for message in view if message["role"] == "tool"]


@pytest.mark.parametrize(
    ("messages", "ids"),
    [
        ([calls("a"), result("a")], ["a"]),
        ([calls("a", "b"), result("b"), result("a")], ["a", "b"]),
        ([calls("a"), SYSTEM, result("a")], ["a"]),
        ([calls("a", "b"), result("a"), SYSTEM, result("b")], ["a", "b"]),
        ([calls("a"), user("wait"), result("a")], []),
        ([calls("a", "b"), result("a"), user("wait"), result("b")], ["a"]),
        ([calls("a"), calls("b"), result("a"), result("b")], ["b"]),
        ([calls("a"), result("a"), result("a")], ["a"]),
        ([calls("a"), result("x"), result("a")], ["a"]),
        ([result("a"), calls("b"), result("b")], ["b"]),
        ([calls("a"), result("a"), DONE, result("a")], ["a"]),
        ([calls("a"), result("a"), calls("a"), result("a")], ["a", "a"]),
        ([calls("a"), user("stop")], []),
    ],
)
def test_a_result_belongs_to_the_open_call_of_its_own_turn_and_to_no_other(
    engine: Engine, messages: list[dict[str, Any]], ids: list[str]
) -> None:
    array = [user("go"), *messages, user("and now?"), DONE]
    answer = engine.prune_messages(array, format="openai-chat")
    asked, answered = kept(answer.messages)
    assert sorted(asked) == sorted(answered) == ids
    assert check_openai_chat(answer.messages) == []
    assert engine.prune_messages(answer.messages, format="openai-chat").messages == answer.messages


def test_what_is_well_paired_comes_back_as_it_is(engine: Engine) -> None:
    array = [user("go"), calls("a", "b"), SYSTEM, result("b"), result("a"), DONE]
    assert engine.prune_messages(array, format="openai-chat").messages == array


def test_each_orphan_comes_back_by_its_own_ref(engine: Engine) -> None:
    texts = [log(30, "first"), log(30, "second")]
    array = [user("go"), result("a", texts[0]), calls("b"), user("wait"), result("b", texts[1]), DONE]
    answer = engine.prune_messages(array, format="openai-chat")
    assert kept(answer.messages) == ([], [])
    assert [item.text for item in engine.recover(["t1", "t2"], session=answer.session).items] == texts
