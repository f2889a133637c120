"""What a pi session says: each text once, under the role of whoever speaks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from tests.sessions.history.told import history, holding, only, passages, told
from tests.sessions.transcripts.writing import SESSION, PiFile, text, tool_call

pytestmark = pytest.mark.requirement("SES-PI", "HIS-FIND")


def test_prompts_thoughts_answers_calls_and_results_are_told_in_order(pi: PiFile) -> None:
    pi.prompt("sail on")
    pi.says({"type": "thinking", "thinking": "the wind"}, "Aye.", tool_call("c1", command='echo "hoist"'))
    result = pi.result("c1", "hoisted", error=True)

    assert told(pi.path) == [
        ("user", "sail on"),
        ("thinking", "the wind"),
        ("assistant", "Aye."),
        ("call", 'command: echo "hoist"'),
        ("result", "hoisted"),
    ]
    answer = only(pi.path, "hoisted")
    assert (answer.entry, answer.tool, answer.error, answer.time) == (result, "bash", True, 1767225603.0)


def test_commands_of_the_person_are_told_with_their_output(pi: PiFile) -> None:
    pi.entry("message", message={"role": "bashExecution", "command": "ls -l", "output": "a.py", "exitCode": 0})
    pi.entry(
        "message",
        message={
            "role": "bashExecution", "command": "false", "output": "no", "exitCode": 1, "excludeFromContext": True,
        },
    )  # fmt: skip
    found = passages(pi.path)

    assert [(passage.role, passage.text, passage.tool, passage.error) for passage in found] == [
        ("call", "ls -l", "bash", False),
        ("result", "a.py", "bash", False),
        ("call", "false", "bash", False),
        ("result", "no", "bash", True),
    ]


@pytest.mark.requirement("SES-TREE", "SES-COMPACT")
def test_summaries_left_branches_and_edits_are_told(pi: PiFile) -> None:
    kept = pi.prompt("the course")
    pi.turn("c1", "the whole output")
    edited = pi.tip
    fork = pi.entry("context_edit", targetId=edited, replacement={"content": "in short"})
    pi.prompt("the wrong tack")
    pi.entry("branch_summary", parent=fork, fromId="x", summary="left because of reefs")
    pi.entry("compaction", summary="so far so good", firstKeptEntryId=kept, tokensBefore=9)
    pi.prompt("the right tack")

    assert told(pi.path)[2:] == [
        ("result", "the whole output"),
        ("summary", "in short"),
        ("user", "the wrong tack"),
        ("summary", "left because of reefs"),
        ("summary", "so far so good"),
        ("user", "the right tack"),
    ]
    assert {passage.text for passage in passages(pi.path) if passage.abandoned} == {"the wrong tack"}


@pytest.mark.requirement("SES-COMPACT")
@pytest.mark.parametrize("role", ["branchSummary", "compactionSummary"])
def test_summaries_that_stand_in_messages_are_told(pi: PiFile, role: str) -> None:
    pi.entry("message", message={"role": role, "summary": "so far so good"})
    assert told(pi.path) == [("summary", "so far so good")]


def test_what_failed_or_was_aborted_is_told_with_the_reason(pi: PiFile) -> None:
    message = {"role": "assistant", "content": [text("half an ans")], "stopReason": "aborted"}
    pi.entry("message", message=message | {"errorMessage": "Request was aborted"})

    assert told(pi.path) == [("assistant", "half an ans"), ("machine", "Request was aborted")]
    assert [passage.error for passage in passages(pi.path)] == [False, True]


def test_what_extensions_and_the_host_say_is_machine_text(pi: PiFile) -> None:
    pi.entry("custom_message", customType="x", content="volatile context", display=False)
    pi.message("system", [text("you are a pilot")])
    pi.message("hookMessage", "a hook says")
    pi.entry("custom", customType="state", data={"words": "state of a program"})

    assert told(pi.path) == [
        ("machine", "volatile context"),
        ("machine", "you are a pilot"),
        ("machine", "a hook says"),
    ]


def test_names_of_sessions_and_places_are_titles(pi: PiFile) -> None:
    first = pi.prompt("go")
    pi.entry("session_info", name="The tour")
    pi.entry("label", targetId=first, label="where it began")
    pi.entry("session_info", name="The tour")

    assert told(pi.path)[1:] == [("title", "The tour"), ("title", "where it began")]


@pytest.mark.parametrize("field", ["parentSession", "branchedFrom"])
def test_a_fork_names_its_parent(pi: PiFile, field: str) -> None:
    parent = "5e551014-0000-4000-8000-00000000000f"
    path = f"/home/user/sessions/2026-01-01T00-00-00-000Z_{parent}.jsonl"
    head = pi.path.read_bytes().replace(b'"cwd"', f'"{field}": "{path}", "cwd"'.encode())
    pi.path.write_bytes(head)
    pi.prompt("go")
    read = history(pi.path)

    assert (read.session, read.parent, read.cwd) == (SESSION, parent, "/home/user/app")


def test_version_1_without_ids_reads_by_lines(tmp_path: Path) -> None:
    pi = PiFile(tmp_path / "old.jsonl", version=1)
    pi.prompt("one")
    pi.turn("c1", "two")
    found: list[Any] = passages(pi.path)

    assert [passage.entry for passage in found] == ["line-1", "line-2", "line-3"]


def test_entries_that_share_an_id_are_both_told(pi: PiFile) -> None:
    pi.prompt("one")
    pi.entry("message", id="00000001", message={"role": "user", "content": "two"})
    found = passages(pi.path)

    assert [(passage.entry, passage.text) for passage in found] == [("00000001", "one"), ("00000001#2", "two")]
    assert holding(found, "one") != holding(found, "two")
