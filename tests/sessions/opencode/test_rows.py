"""Sessions of opencode 2: one row for each message, beside the tables of version 1."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given

from prune_mcp.engine import Engine
from prune_mcp.pruning.options import ChainOptions, OpenChainOptions
from prune_mcp.sessions.discover import discover
from prune_mcp.sessions.history import read_history
from prune_mcp.sessions.model import Place
from prune_mcp.sessions.own_call import ending, holds_call
from prune_mcp.sessions.transcript import open_transcript
from prune_mcp.sessions.view import View
from tests.pruning.build import log
from tests.sessions.damage import CHANGES, change, read_everything
from tests.sessions.opencode.writing import EPOCH, SESSION, Database, answers, asks, id_of, ran, row
from tests.sessions.transcripts.reading import outputs, prompts, said

pytestmark = pytest.mark.requirement("SES-OPENCODE")

Make = Callable[..., Engine]
PIXEL = {"type": "file", "mime": "image/png", "name": "a.png", "uri": "data:image/png;base64,iVBORw0KGgo="}
ERROR = {"type": "tool.execution", "message": "File not found"}
TALK = [
    row(1, "user", text="Where is it?", files=[]),
    answers(
        2,
        {"type": "reasoning", "text": "hm"},
        "I look.",
        ran("c1", "a.py\n", "Exit 7."),
        ran("c2", status="error", error=ERROR),
    ),
    row(3, "model-switched", model={"id": "m"}),
    answers(4, "In a.py."),
    row(5, "idle", outcome="succeeded"),
]
READ = [
    ("user", ["Where is it?"]),
    ("assistant", ["thinking hm", "I look.", "call c1", "call c2"]),
    ("user", ["result c1", "result c2"]),
    ("assistant", ["In a.py."]),
]


def test_a_session_in_rows_is_read(database: Database) -> None:
    session = open_transcript(database.rows(SESSION, *TALK, title="Find it"))
    assert said(session) == READ
    assert (session.session, session.title, session.cwd) == (SESSION, "Find it", "/home/user/app")
    assert outputs(session) == ["a.py\n\nExit 7.", "File not found"]
    assert [(block.tool, block.error) for block in session.archive()] == [("shell", False), ("shell", True)]
    assert list(session.render(View())) == [TALK[0], TALK[1], TALK[3]]
    asked = session.called(session.archive()[0])
    assert asked is not None
    assert session.arguments(asked) == {"command": "run c1"}


def test_a_session_that_was_taken_over_is_the_one_in_rows(tmp_path: Path, database: Database) -> None:
    database.session(SESSION, asks(1, "the old copy"), title="Old")
    database.session("ses_only_old", asks(2, "old and alone"))
    database.rows(SESSION, *TALK, title=None)
    database.rows("ses_child", row(20, "user", text="look around"), parent_id=SESSION)
    database.rows("ses_fork", row(30, "user", text="go on"), fork_session_id=SESSION)
    files = {file.id: file for file in discover({}, tmp_path)}
    assert sorted(files) == sorted(["ses_child", SESSION, "ses_fork", "ses_only_old"])
    assert (files[SESSION].title, files[SESSION].mtime) == ("Where is it?", (EPOCH + 5000) / 1000)
    assert (files["ses_child"].parent, files["ses_fork"].parent) == (SESSION, "")
    assert said(open_transcript(files[SESSION].address)) == READ
    assert said(open_transcript(files["ses_only_old"].address)) == [("user", ["old and alone"])]
    assert open_transcript(files["ses_fork"].address).parent == SESSION


def test_a_session_whose_messages_stand_only_in_rows_is_read_from_these(database: Database) -> None:
    address = database.session(SESSION)
    database.rows("ses_other")
    for said_then in TALK:
        database.row(said_then)
    assert said(open_transcript(address)) == READ


@pytest.mark.requirement("SES-LIVE")
def test_a_growing_session_has_another_stamp_and_reads_as_one_read_at_once(
    tmp_path: Path, database: Database
) -> None:
    address = database.rows(SESSION, *TALK[:1])
    session = open_transcript(address)
    before = next(discover({}, tmp_path)).stamp
    assert session.refresh() == 0
    database.row(answers(2, ran("c1")))
    session.refresh()
    assert session.archive() == []
    database.row(answers(2, ran("c1", "out")))
    database.connection.execute("UPDATE session_message SET time_updated = time_updated + 5")
    session.refresh()
    assert outputs(session) == ["out"]
    assert next(discover({}, tmp_path)).stamp != before


@pytest.mark.parametrize(
    ("said_then", "words", "prompt"),
    [
        (row(1, "user", text="see", files=[PIXEL]), ["see", "image "], True),
        (row(1, "synthetic", text="<system-reminder>"), ["<system-reminder>"], False),
        (row(1, "skill", text="how to", name="s"), ["how to"], False),
        (row(1, "shell", command="ls", status="exited", output={"output": "files"}), ["ls", "files"], False),
        (row(1, "shell", command="ls", output="files"), ["ls", "files"], False),
        (row(1, "compaction", status="completed", summary="all of it"), ["all of it"], True),
    ],
)
def test_rows_in_the_users_place_are_read(
    database: Database, said_then: Any, words: list[str], prompt: bool
) -> None:
    session = open_transcript(database.rows(SESSION, said_then, answers(2, "ok")))
    assert said(session)[0] == ("user", words)
    assert session.messages[0].prompt == prompt


@pytest.mark.parametrize("status", ["failed", "running"])
def test_rows_that_say_nothing_are_no_messages(database: Database, status: str) -> None:
    nothing = [row(1, "compaction", status=status), row(2, "idle", outcome="failed"), row(3, "future", x=1)]
    assert said(open_transcript(database.rows(SESSION, *nothing, row(4, "user", text="go")))) == [("user", ["go"])]


def test_after_a_compaction_its_summary_and_what_came_later_are_sent(database: Database) -> None:
    compaction = row(6, "compaction", status="completed", summary="all of it")
    session = open_transcript(database.rows(SESSION, *TALK, compaction, row(7, "user", text="on")))
    assert [(message.id, message.summary) for message in session.messages] == [(id_of(6), True), (id_of(7), False)]
    assert (session.abandoned, len(session.archive())) == (set(), 2)


def test_answers_that_failed_are_not_sent(database: Database) -> None:
    failed = answers(2, "half", error={"type": "provider.invalid-request", "message": "bad"})
    aborted = answers(3, "half", error={"type": "aborted", "message": "Step interrupted"})
    session = open_transcript(database.rows(SESSION, row(1, "user", text="go"), failed, aborted))
    assert [message.id for message in session.messages] == [id_of(1), id_of(3)]


def test_a_revert_that_was_not_committed_leaves_what_follows_behind(database: Database) -> None:
    address = database.rows(
        SESSION, *TALK, row(6, "user", text="left"), revert=json.dumps({"messageID": id_of(6)})
    )
    session = open_transcript(address)
    assert prompts(session) == ["Where is it?"]
    assert {session.entries[index].id for index in session.abandoned} == {id_of(6)}


def test_images_and_outputs_that_were_cleared_are_there(database: Database) -> None:
    cleared = ran("c2", "the old output")
    cleared["time"]["pruned"] = EPOCH
    session = open_transcript(
        database.rows(SESSION, row(1, "user", text="go"), answers(2, ran("c1", "see", PIXEL), cleared))
    )
    first, second = session.archive()
    assert session.images(first) == [("image/png", "iVBORw0KGgo=")]
    assert (session.text(second), session.persisted(second)) == (
        "[Old tool result content cleared]",
        "the old output",
    )


@pytest.mark.requirement("PRU-VALID", "PRU-RECOVER")
@pytest.mark.parametrize("aggressive", [False, True])
def test_a_pruned_session_is_one_again_and_every_output_comes_back(
    database: Database, make_engine: Make, aggressive: bool
) -> None:
    rows: list[dict[str, Any]] = []
    for number in range(1, 40, 4):
        rows.append(row(number, "user", text=f"Question {number}"))
        rows.append(
            answers(number + 1, f"Step {number}", ran(f"c{number}", log(60, f"out_{number}.py"), "Exit 1."))
        )
        rows.append(answers(number + 2, f"Answer {number}"))
    rows.append(
        answers(90, ran("bad", status="error", error={"type": "x", "message": log(40, "bad.py")}), ran("waits"))
    )
    address = database.rows(SESSION, *rows)
    session = open_transcript(address)
    options: dict[str, Any] = {
        "chain_compression": ChainOptions(rolling_window=0),
        "open_chain": OpenChainOptions(keep_turns=1, min_tokens=200),
    }
    answer = make_engine(keep_turns=1, **(options if aggressive else {})).prune_transcript(address, render=True)
    shown = list(answer.messages)
    assert answer.tokens_after < answer.tokens_before / 2
    again = open_transcript(database.rows("ses_again", *_numbered(shown)))
    assert [block.call_id for block in again.archive()] == [
        part["id"] for made in shown for part in made.get("content", ()) if part["type"] == "tool"
    ]
    engine = make_engine()
    for number, block in enumerate(session.archive(), 1):
        assert engine.recover([f"t{number}"], budget=10**7).items[0].text == session.text(block)


def _numbered(rows: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    for number, made in enumerate(rows, 1000):
        yield {**made, "id": id_of(number), "time": made["time"]}


def test_an_edit_changes_its_place_and_nothing_else(database: Database) -> None:
    session = open_transcript(database.rows(SESSION, *TALK))
    entries = {entry.id: entry.index for entry in session.entries}
    answer, results = entries[id_of(2)], entries[f"{id_of(2)}/results"]
    view = View(
        texts={Place(results, 0): "stub", Place(results, 1): "stub of an error"},
        arguments={Place(answer, 2): {"command": "shorter"}},
        stripped={Place(answer, 0)},
        inserted={0: ["a block"]},
    )
    shown = list(session.render(view))
    wanted = json.loads(json.dumps(TALK[1]))
    del wanted["content"][0]
    wanted["content"][1]["state"] |= {
        "content": [{"type": "text", "text": "stub"}],
        "input": {"command": "shorter"},
    }
    wanted["content"][2]["state"]["error"]["message"] = "stub of an error"
    assert shown[2] == wanted
    assert (shown[1]["type"], shown[1]["text"]) == ("synthetic", "a block")
    assert list(session.render(View(dropped={0, 1, 2, 3}))) == []
    noted = list(session.render(View(notes={Place(answer, 2): "[left out]"})))
    assert noted[1]["content"][2] == {"type": "text", "text": "[left out]"}


@pytest.mark.requirement("HIS-FIND")
def test_what_the_rows_say_is_told_once(tmp_path: Path, database: Database) -> None:
    database.rows(SESSION, *TALK, row(6, "shell", command="ls", output="files"), title="Find it")
    history = read_history(next(discover({}, tmp_path)))
    assert [(passage.role, passage.text) for passage in [*history.passages(), *history.rest()]] == [
        ("title", "Find it"),
        ("user", "Where is it?"),
        ("thinking", "hm"),
        ("assistant", "I look."),
        ("call", "command: run c1"),
        ("call", "command: run c2"),
        ("result", "a.py\n\nExit 7."),
        ("result", "File not found"),
        ("assistant", "In a.py."),
        ("machine", "ls"),
        ("machine", "files"),
    ]


@pytest.mark.requirement("SES-WHICH")
def test_a_call_that_still_runs_is_known_for_the_callers_own(tmp_path: Path, database: Database) -> None:
    running = ran("own", name="prune-mcp_prune_context", input={"note": "x"})
    database.rows(SESSION, row(1, "user", text="go"), answers(2, ran("c1", "out"), running))
    file = next(discover({}, tmp_path))
    assert holds_call(ending(file), "prune_context", {"note": "x"})
    database.row(answers(2, ran("own", "done", name="prune-mcp_prune_context", input={"note": "x"})))
    assert not holds_call(ending(file), "prune_context", {"note": "x"})


@pytest.mark.requirement("SES-DAMAGE")
@given(CHANGES)
def test_no_value_in_place_of_another_stops_the_reading(
    tmp_path_factory: pytest.TempPathFactory, changes: list[tuple[int, Any]]
) -> None:
    cleared = ran("c3", "x", PIXEL)
    talk: list[Any] = json.loads(json.dumps([*TALK, answers(6, cleared), row(7, "compaction", summary="s")]))
    database = Database(tmp_path_factory.mktemp("rows"))
    address = database.rows(SESSION)
    change(talk, changes)
    for number, made in enumerate(talk):
        kind = str(made.get("type") if isinstance(made, dict) else made).encode("utf-8", "replace").decode()
        values = id_of(number), SESSION, kind, number, 1, 1, json.dumps(made)
        database.connection.execute("INSERT INTO session_message VALUES (?, ?, ?, ?, ?, ?, ?)", values)
    database.close()
    read_everything(address)


def test_failures_and_rows_of_other_types_are_told_and_not_sent(database: Database) -> None:
    failed = answers(2, error={"type": "provider", "message": "overloaded"})
    address = database.rows(SESSION, row(1, "user", text="go"), failed, row(3, "banner", text="New ferry times"))
    history = read_history(next(file for file in discover({}, database.path.parents[3]) if file.id == SESSION))
    passages = [*history.passages(), *history.rest()]
    told = [(passage.entry, passage.role, passage.text, passage.error) for passage in passages]
    assert told == [
        (id_of(1), "user", "go", False),
        (id_of(2), "machine", "overloaded", True),
        (id_of(3), "machine", "New ferry times", False),
    ]
    assert said(open_transcript(address)) == [("user", ["go"])]
