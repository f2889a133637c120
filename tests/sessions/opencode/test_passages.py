"""What opencode's sessions tell history: who says what, each thing once."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from prune_mcp.sessions.history import History, read_history
from prune_mcp.sessions.passage import Passage
from tests.sessions.history.told import session_file
from tests.sessions.opencode.conftest import Place
from tests.sessions.opencode.writing import EPOCH, SESSION, TITLE, asks, failed, id_of, says, text, thought, tool

pytestmark = pytest.mark.requirement("SES-OPENCODE", "HIS-FIND")

Read = Callable[..., tuple[History, list[Passage]]]


@pytest.fixture
def read(place: Place) -> Read:
    """Puts a session down and reads its history."""

    def told(*messages: dict[str, Any], **fields: Any) -> tuple[History, list[Passage]]:
        address = place(*messages, **fields)
        path = address.parent if address.parent.is_file() else address
        file = session_file(path)
        file.inside = address.name if path != address else ""
        history = read_history(file)
        return history, [*history.passages(), *history.rest()]

    return told


def words(passages: list[Passage]) -> list[tuple[str, str]]:
    return [(passage.role, passage.text) for passage in passages]


def test_each_thing_is_told_once_by_who_said_it(read: Read) -> None:
    first = asks(1, "Where is it?", text("Called the Read tool", synthetic=True), text("shown", ignored=True))
    answer = says(2, thought("hm"), "I look.", tool("c1", "in a.py"), failed("c2", "EROFS"))
    history, passages = read(first, answer)
    assert words(passages) == [
        ("title", TITLE),
        ("user", "Where is it?"),
        ("machine", "Called the Read tool"),
        ("machine", "shown"),
        ("thinking", "hm"),
        ("assistant", "I look."),
        ("call", "command: run c1"),
        ("call", "command: run c2"),
        ("result", "in a.py"),
        ("result", "EROFS"),
    ]
    assert (history.host, history.session, history.cwd, history.title) == (
        "opencode",
        SESSION,
        "/home/user/app",
        TITLE,
    )
    places = [(passage.entry, passage.at) for passage in passages]
    assert len(set(places)) == len(places)


def test_passages_tell_their_time_tool_and_flags(read: Read) -> None:
    _, passages = read(
        asks(1, "kept"), asks(2, "left"), says(3, failed("c1", "no")), revert={"messageID": id_of(2)}
    )
    found = {passage.text: passage for passage in passages}
    assert not found["kept"].abandoned
    assert found["left"].abandoned
    assert (found["no"].tool, found["no"].error, found["no"].abandoned) == ("bash", True, True)
    assert found["no"].time == (EPOCH + 500) / 1000


def test_what_the_host_sends_no_longer_is_told(read: Read) -> None:
    cleared = tool("c1", "the old output", time={"start": 1, "end": 2, "compacted": 3})
    _, passages = read(asks(1, "go"), says(2, cleared))
    assert words(passages)[-1] == ("result", "the old output")


def test_a_summary_is_one_and_what_was_compacted_is_told(read: Read) -> None:
    compaction = {"type": "compaction", "auto": True}
    talk = [asks(1, "before"), says(2, "x"), asks(3, compaction), says(4, "all of it", to=3, summary=True)]
    _, passages = read(*talk, title="New session - 2026-02-03T08:00:00.000Z")
    assert words(passages) == [("user", "before"), ("assistant", "x"), ("summary", "all of it")]
    assert not any(passage.abandoned for passage in passages)


def test_a_subagents_history_names_its_parent(read: Read) -> None:
    history, _ = read(asks(1, "look"), parentID="ses_parent")
    assert history.parent == "ses_parent"


def test_answers_that_failed_are_told_with_the_reason(read: Read, tmp_path: Path) -> None:
    error = {"name": "APIError", "data": {"message": "overloaded"}}
    _, passages = read(asks(1, "go"), says(2, "half a word", error=error))
    assert words(passages)[-2:] == [("assistant", "half a word"), ("machine", "overloaded")]
    assert [passage.error for passage in passages[-2:]] == [False, True]


OVERLOADED = {"name": "APIError", "data": {"message": "overloaded"}}


def test_an_answer_that_failed_without_any_part_is_told_and_not_sent(read: Read, place: Place) -> None:
    messages = [asks(1, "go"), says(2, error=OVERLOADED), asks(3, "again"), says(4, "done", to=3)]
    _, passages = read(*messages)
    assert words(passages)[1:] == [
        ("user", "go"),
        ("machine", "overloaded"),
        ("user", "again"),
        ("assistant", "done"),
    ]
    failure = passages[2]
    assert (failure.entry, failure.error, failure.time) == (id_of(2), True, (EPOCH + 2000) / 1000)


def test_what_a_rewind_left_of_failures_is_flagged(read: Read) -> None:
    _, passages = read(asks(1, "go"), says(2, error=OVERLOADED), revert={"messageID": id_of(2)})
    assert [passage.abandoned for passage in passages if passage.error] == [True]


def test_a_retry_is_told_with_its_reason_each_once(read: Read) -> None:
    retries = [{"type": "retry", "attempt": n, "error": OVERLOADED, "time": {"created": EPOCH}} for n in (1, 2)]
    _, passages = read(
        asks(1, "go"), says(2, *retries, "done"), asks(3, "on"), says(4, *retries, error=OVERLOADED)
    )
    told = [(passage.entry, passage.text) for passage in passages if passage.error]
    assert told == [(id_of(2), "overloaded"), (id_of(4), "overloaded")]


def test_what_the_host_summed_a_prompt_up_to_is_told(read: Read) -> None:
    summed = {"title": "Ferry times", "body": "Wrote the timetable.", "diffs": [{"file": "a", "after": "long"}]}
    _, passages = read(asks(1, "go", summary=summed), says(2, "done"))
    assert words(passages)[1:] == [
        ("user", "go"),
        ("summary", "Ferry times\nWrote the timetable."),
        ("assistant", "done"),
    ]


def test_a_subtask_is_told_as_the_machines(read: Read) -> None:
    subtask = {"type": "subtask", "prompt": "review it", "description": "Ferry review", "agent": "a"}
    _, passages = read(asks(1, subtask))
    assert words(passages)[1:] == [("machine", "review it"), ("machine", "Ferry review")]


def test_the_files_of_a_patch_are_told_that_no_call_names(read: Read) -> None:
    patch = {"type": "patch", "hash": "0f", "files": ["/home/user/app/a.py", "/home/user/app/made.py"]}
    _, passages = read(asks(1, "go"), says(2, tool("c1", "ok", input={"filePath": "a.py"}), patch))
    assert words(passages)[2:] == [
        ("call", "filePath: a.py"),
        ("machine", "/home/user/app/made.py"),
        ("result", "ok"),
    ]


def test_parts_of_types_that_are_not_known_are_told(read: Read) -> None:
    part = {"type": "poll", "question": "Which ferry?", "snapshot": "0f", "data": "aGk="}
    _, passages = read(asks(1, "go", part), says(2, part), says(3, {"type": "snapshot", "snapshot": "0f"}))
    assert words(passages)[1:] == [("user", "go"), ("machine", "Which ferry?"), ("machine", "Which ferry?")]


def test_what_is_hidden_from_the_model_is_told_where_nothing_else_stands(read: Read) -> None:
    _, passages = read(asks(1, text("shown", ignored=True)))
    assert words(passages)[1:] == [("machine", "shown")]
