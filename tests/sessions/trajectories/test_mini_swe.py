"""Trajectories of mini-swe-agent: commands in the text or as calls, what they gave, and the submission."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from prune_mcp.sessions.transcript import open_transcript
from prune_mcp.sessions.view import View
from tests.sessions.trajectories.build import (
    TASK,
    acts,
    message,
    native,
    observed,
    passages,
    read,
    run,
    save,
    shape,
    spoken,
)

pytestmark = pytest.mark.requirement("SES-TRAJ")
DIFF = "diff --git a/dates.py b/dates.py\n+fixed"
ELIDED = """<returncode>1</returncode>
<warning>
The output of your last command was too long.
</warning><output_head>
first lines
</output_head>
<elided_chars>
1878 characters elided
</elided_chars>
<output_tail>
last lines
</output_tail>"""


def test_a_command_in_the_text_is_a_call_and_the_next_message_its_output(tmp_path: Path) -> None:
    session = read(tmp_path, run(acts("ls -la"), observed("dates.py"), acts("git diff"), message("user", DIFF)))
    assert shape(session) == [
        ("assistant", [("text", "THOUGHT: Let me look."), ("call", '{"command":"ls -la"}')]),
        ("user", [("result", "<returncode>0</returncode>\n<output>\ndates.py\n</output>")]),
        ("assistant", [("text", "THOUGHT: Let me look."), ("call", '{"command":"git diff"}')]),
        ("user", [("result", DIFF)]),
    ]
    results = session.archive()
    assert [(result.tool, result.error) for result in results] == [("bash", False)] * 2
    calls = [session.called(result) for result in results]
    assert [session.arguments(call) for call in calls if call] == [{"command": "ls -la"}, {"command": "git diff"}]


def test_the_task_is_the_prompt_and_names_the_session(tmp_path: Path) -> None:
    session = read(tmp_path, run(acts("ls"), observed("x")))
    assert [message.prompt for message in session.messages] == [False, True, False, False]
    assert session.title == "org__repo-17: Parsing of dates fails"
    assert session.session.endswith("-org__repo-17")
    assert (session.format, session.host, session.cwd) == ("mini-swe-agent", "mini-swe-agent", "")


def test_runs_of_one_task_are_told_apart_and_a_growing_one_stays_itself(tmp_path: Path) -> None:
    first = read(tmp_path, run(acts("ls")), "a.traj.json").session
    longer = read(tmp_path, run(acts("ls"), observed("x"), acts("cat x")), "b.traj.json").session
    other = read(tmp_path, run(acts("ls", "THOUGHT: Another way.")), "c.traj.json").session
    assert first == longer != other


@pytest.mark.parametrize(
    ("output", "failed"),
    [
        (observed("fine"), False),
        (observed("Traceback", 1), True),
        (observed("killed", -9), True),
        (message("user", ELIDED), True),
        (message("user", "The last command <command>sleep</command> timed out and has been killed.\n"), True),
        (message("user", "plain"), False),
        (message("user", "tail", extra={"returncode": 2}), True),
        (message("user", "tail", extra={"returncode": 0}), False),
    ],
)
def test_a_failed_command_is_an_error(tmp_path: Path, output: dict[str, Any], failed: bool) -> None:
    [result] = read(tmp_path, run(acts("make"), output)).archive()
    assert result.error is failed


def test_what_was_elided_stays_in_the_output(tmp_path: Path) -> None:
    session = read(tmp_path, run(acts("make"), message("user", ELIDED)))
    assert session.text(session.archive()[0]) == ELIDED


@pytest.mark.parametrize("text", ["No command at all.", "Two:\n```bash\na\n```\nand\n```bash\nb\n```"])
def test_an_answer_without_one_command_gets_a_notice_not_an_output(tmp_path: Path, text: str) -> None:
    notice = "Please always provide EXACTLY ONE action in triple backticks."
    path = save(tmp_path, run(message("assistant", text), message("user", notice), acts("ls"), observed("x")))
    session = open_transcript(path)
    assert [block.kind for message in session.messages[2:4] for block in message.blocks] == ["text", "text"]
    assert len(session.archive()) == 1
    assert not session.messages[3].prompt
    assert spoken(path)[1] == ("machine", notice)


def test_text_behind_the_command_is_kept(tmp_path: Path) -> None:
    answer = message("assistant", "Before.\n```bash\nls\n```\nAfter.")
    assert shape(read(tmp_path, run(answer, observed("x"))))[0] == (
        "assistant",
        [("text", "Before."), ("call", '{"command":"ls"}'), ("text", "After.")],
    )


def test_the_fence_of_version_two_is_known(tmp_path: Path) -> None:
    session = read(tmp_path, run(acts("ls", fence="mswea_bash_command"), observed("x")))
    assert [call.tool for call in session.messages[2].calls] == ["bash"]


def test_a_command_that_the_agent_noted_is_found_in_any_fence(tmp_path: Path) -> None:
    answer = message("assistant", "I run <run>ls -la</run> now.", extra={"actions": [{"command": "ls -la"}]})
    assert shape(read(tmp_path, run(answer, observed("x"))))[0][1][1] == ("call", '{"command":"ls -la"}')


def test_native_calls_are_answered_by_id_and_the_exit_ends_the_last(tmp_path: Path) -> None:
    path = save(
        tmp_path,
        run(
            native(("c1", "ls"), ("c2", "cat a"), text="Two at once."),
            message("tool", "of cat", tool_call_id="c2", extra={"returncode": 1}),
            message("tool", "of ls", tool_call_id="c1", extra={"returncode": 0}),
            native(("c3", "submit")),
            message("exit", DIFF, extra={"exit_status": "Submitted"}),
            trajectory_format="mini-swe-agent-1.1",
        ),
    )
    session = open_transcript(path)
    assert [(b.call_id, b.error, session.text(b)) for b in session.archive()] == [
        ("c2", True, "of cat"),
        ("c1", False, "of ls"),
        ("c3", False, DIFF),
    ]
    assert spoken(path)[:3] == [("assistant", "Two at once."), ("call", "command: ls"), ("call", "command: cat a")]


def test_a_notice_while_native_calls_wait_answers_none_of_them(tmp_path: Path) -> None:
    session = read(tmp_path, run(native(("c1", "ls")), message("user", "Interrupted by user: stop")))
    assert session.archive() == []


def test_answers_of_the_responses_api_are_read(tmp_path: Path) -> None:
    answer = {
        "object": "response",
        "created_at": 1700000000,
        "output": [
            {"type": "reasoning", "summary": [{"type": "summary_text", "text": "thinking it over"}]},
            {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "I look."}]},
            {"type": "function_call", "call_id": "c1", "name": "bash", "arguments": '{"command": "ls"}'},
        ],
    }
    output = {"type": "function_call_output", "call_id": "c1", "output": "dates.py", "extra": {"returncode": 0}}
    path = save(tmp_path, run(answer, output))
    session = open_transcript(path)
    assert [block.kind for block in session.messages[2].blocks] == ["thinking", "text", "call"]
    assert session.text(session.archive()[0]) == "dates.py"
    assert spoken(path)[1:] == [("assistant", "I look."), ("call", "command: ls"), ("result", "dates.py")]
    assert "thinking it over" in spoken(path)[0][1]


def test_reasoning_kept_in_the_raw_response_is_found(tmp_path: Path) -> None:
    response = {"created": 1763509981, "choices": [{"message": {"reasoning": "deep reasons"}}]}
    path = save(tmp_path, run(acts("ls", extra={"response": response}), observed("x")))
    assert spoken(path)[:3] == [
        ("assistant", "THOUGHT: Let me look."),
        ("call", "command: ls"),
        ("thinking", "deep reasons"),
    ]
    assert {passage.time for passage in passages(path)[3:]} == {1763509981.0}


def test_what_the_person_ran_is_a_call_too(tmp_path: Path) -> None:
    typed = message("user", "User command: \n```bash\npwd\n```", extra={"actions": [{"command": "pwd"}]})
    session = read(tmp_path, run(typed, observed("/w")))
    assert [session.arguments(call) for call in session.messages[2].calls] == [{"command": "pwd"}]
    assert len(session.archive()) == 1


def test_content_in_parts_is_read_as_text(tmp_path: Path) -> None:
    parts = [{"type": "text", "text": "THOUGHT: x\n\n```bash\nls\n```", "cache_control": {"type": "ephemeral"}}]
    answer, output = message("assistant", parts), message("user", [{"type": "text", "text": "<returncode>3"}])
    session = read(tmp_path, run(answer, output))
    assert session.arguments(session.messages[2].calls[0]) == {"command": "ls"}
    assert session.archive()[0].error


def test_the_folder_of_a_local_run_is_the_sessions(tmp_path: Path) -> None:
    config = {
        "environment": {"cwd": "/home/me/repo"},
        "environment_type": "minisweagent.environments.LocalEnvironment",
    }
    info = {"exit_status": "", "config": config}
    assert read(tmp_path, run(acts("ls"), info=info)).cwd == "/home/me/repo"


def test_an_empty_view_gives_back_equal_messages(tmp_path: Path) -> None:
    value = run(acts("ls", unknown=1), observed("x"), native(("c", "y")), message("tool", "z", tool_call_id="c"))
    assert list(read(tmp_path, value).render(View())) == value["messages"]


def test_a_trajectory_that_is_being_written_is_read_as_far_as_it_is_there(tmp_path: Path) -> None:
    value = run(acts("ls"), observed("x"), acts("cat x"), observed("needle"))
    path = save(tmp_path, json.dumps(value).encode()[:-200])
    session = open_transcript(path)
    assert session.skipped["torn"] == 1
    assert len(session.messages) >= 4
    save(tmp_path, value)
    session.refresh()
    assert session.skipped["torn"] == 0
    assert len(session.archive()) == 2


def test_a_run_that_goes_on_keeps_what_was_read(tmp_path: Path) -> None:
    session = read(tmp_path, run(acts("ls"), observed("x")))
    save(tmp_path, run(acts("ls"), observed("x"), acts("cat x"), observed("y")))
    session.refresh()
    assert (session.generation, len(session.archive())) == (0, 2)


@pytest.mark.parametrize("bad", [None, 7, "text", []])
def test_a_message_that_is_none_costs_only_itself(tmp_path: Path, bad: Any) -> None:
    value = run(acts("ls"), observed("x"))
    value["messages"].insert(2, bad)
    session = read(tmp_path, value)
    assert session.skipped["message"] == 1
    assert len(session.archive()) == 1


def test_the_task_is_the_persons_words_and_instructions_are_not(tmp_path: Path) -> None:
    told = [(passage.role, passage.text) for passage in passages(save(tmp_path, run(acts("ls"))))]
    assert told[:3] == [
        ("title", "org__repo-17"),
        ("machine", "You are a helpful assistant."),
        ("user", TASK),
    ]
