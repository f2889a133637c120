"""Trajectories of SWE-agent: thought and action, native calls, demonstrations, and the last observation."""

from __future__ import annotations

from pathlib import Path

import pytest

from prune_mcp.sessions.transcript import open_transcript
from prune_mcp.sessions.view import View
from tests.sessions.trajectories.build import (
    Json,
    history,
    message,
    native,
    passages,
    read,
    save,
    shape,
    spoken,
    thinks,
)

pytestmark = pytest.mark.requirement("SES-TRAJ")
NAME = "org__repo-17.traj"


def test_an_action_in_the_text_is_a_call_and_the_observation_its_output(tmp_path: Path) -> None:
    session = read(
        tmp_path,
        history(
            thinks("I look around.", "ls -F"),
            message("user", "dates.py\nbash-$"),
            thinks("Open it.", "open dates.py"),
        ),
        NAME,
    )
    assert shape(session)[:2] == [
        ("assistant", [("text", "I look around."), ("call", '{"command":"ls -F"}')]),
        ("user", [("result", "dates.py\nbash-$")]),
    ]
    assert [call.tool for m in session.messages for call in m.calls] == ["bash", "open"]
    assert (session.format, session.title) == ("swe-agent", "org__repo-17: Parsing of dates fails")


@pytest.mark.parametrize(
    "content",
    [
        "Look.\n```\nls -F\n```",
        "Look.\n<command>\nls -F\n</command>",
        "Look.",
        [{"type": "text", "text": "Look.\n```\nls -F\n```"}],
    ],
)
def test_the_action_is_the_call_in_every_form_of_answer(tmp_path: Path, content: object) -> None:
    answer = message("assistant", content, thought="Look.", action="ls -F\n")
    session = read(tmp_path, history(answer, message("user", "out")), NAME)
    [call] = session.messages[2].calls
    assert session.arguments(call) == {"command": "ls -F"}
    assert session.text(session.messages[2].blocks[0]).startswith("Look.")
    assert session.text(session.archive()[0]) == "out"


def test_native_calls_are_answered_by_the_tools_message(tmp_path: Path) -> None:
    answer = native(("call_1", "ls"), text="I look.") | {"thought": "I look.", "action": "ls", "agent": "main"}
    output = message("tool", "dates.py", tool_call_ids=["call_1"], agent="main")
    session = read(tmp_path, history(answer, output), NAME)
    assert shape(session) == [
        ("assistant", [("text", "I look."), ("call", '{"command":"ls"}')]),
        ("user", [("result", "dates.py")]),
    ]
    assert session.archive()[0].call_id == "call_1"


def test_demonstrations_are_the_machines_and_not_the_task(tmp_path: Path) -> None:
    demo = [
        message("user", "A task of another run", is_demo=True),
        thinks("As an example", "echo demo") | {"is_demo": True},
        message("user", "demo output", is_demo=True),
    ]
    value = history(thinks("For real", "echo real"), message("user", "real output"))
    value["history"][1:1] = demo
    path = save(tmp_path, value, NAME)
    session = open_transcript(path)
    assert [m.prompt for m in session.messages] == [False, False, False, False, True, False, False]
    assert session.title.endswith("Parsing of dates fails")
    told = {passage.text: passage.role for passage in passages(path)}
    assert (told["A task of another run"], told["demo output"]) == ("machine", "machine")
    assert (told["For real"], told["real output"]) == ("assistant", "result")
    assert len(session.archive()) == 2


@pytest.mark.parametrize("answer", [thinks("Done.", "submit"), native(("call_9", "submit"))])
def test_the_submission_that_only_the_last_step_holds_is_read(tmp_path: Path, answer: Json) -> None:
    steps = [{"action": "submit", "observation": "diff --git a b", "response": "x", "state": {}}]
    session = read(tmp_path, history(answer, steps=steps), NAME)
    [result] = session.archive()
    assert session.text(result) == "diff --git a b"
    assert session.called(result) is not None


def test_a_submission_in_the_history_is_not_doubled(tmp_path: Path) -> None:
    steps = [{"action": "submit", "observation": "diff --git a b"}]
    value = history(thinks("Done.", "submit"), message("user", "diff --git a b"), steps=steps)
    assert len(read(tmp_path, value, NAME).archive()) == 1


def test_thinking_beside_the_answer_is_read_once(tmp_path: Path) -> None:
    blocks = [{"type": "thinking", "thinking": "deep reasons", "signature": "s"}]
    answer = thinks("Look.", "ls") | {"thinking_blocks": blocks, "reasoning_content": "deep reasons"}
    path = save(tmp_path, history(answer, message("user", "x")), NAME)
    assert [text for role, text in spoken(path) if role == "thinking"] == ["deep reasons"]
    assert open_transcript(path).messages[2].blocks[0].signed


def test_an_empty_view_gives_back_equal_messages(tmp_path: Path) -> None:
    value = history(thinks("Look.", "ls", unknown=[1]), message("user", "x", agent="main"))
    assert list(read(tmp_path, value, NAME).render(View())) == value["history"]


def test_a_trajectory_whose_history_comes_far_behind_its_steps_is_known(tmp_path: Path) -> None:
    steps = [{"action": "cat", "observation": "x" * 300_000, "response": "", "thought": ""}]
    value = {"environment": "e", "trajectory": steps} | history(thinks("Look.", "ls"), message("user", "x"))
    value["trajectory"] = steps
    assert read(tmp_path, value, NAME).format == "swe-agent"


def test_a_call_id_that_is_given_out_twice_has_two_outputs(tmp_path: Path) -> None:
    outputs = [message("tool", text, tool_call_ids=["call_1"]) for text in ("one", "two")]
    calls = [native(("call_1", "a")), native(("call_1", "b"))]
    session = read(tmp_path, history(calls[0], outputs[0], calls[1], outputs[1]), NAME)
    assert [session.text(result) for result in session.archive()] == ["one", "two"]
