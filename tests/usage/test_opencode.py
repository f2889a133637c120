"""What the provider counted, as opencode tells it in each form in which it keeps a session."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from prune_mcp.engine.usage.answer import Counted
from prune_mcp.engine.usage.reported import Response, responses
from prune_mcp.sessions.transcript import open_transcript
from tests.sessions.opencode.writing import SECOND, SESSION, Database, asks, export, says, tool, tree
from tests.usage.conftest import Weigh, tokens_of
from tests.usage.whole import assert_sums, size

pytestmark = pytest.mark.requirement("USE-ROWS")
FORMS = ("database", "tree", "export")


def counts(fresh: int, read: int, write: int, output: int, reasoning: int = 0) -> dict[str, Any]:
    """Counts as opencode keeps them: what came from the cache and the reasoning beside the rest."""
    return {"input": fresh, "output": output, "reasoning": reasoning, "cache": {"read": read, "write": write}}


def finish(*counted: int) -> dict[str, Any]:
    return {"type": "step-finish", "reason": "tool-calls", "cost": 0.01, "tokens": counts(*counted)}


def put(form: str, folder: Path, *messages: dict[str, Any]) -> Path:
    """The session in one of the forms; its address."""
    if form == "tree":
        return tree(folder, *messages)
    if form == "export":
        return export(folder / "exported.json", *messages)
    database = Database(folder)
    try:
        return database.session(SESSION, *messages)
    finally:
        database.close()


@pytest.mark.parametrize("form", FORMS)
def test_each_message_tells_its_count_and_the_newest_is_the_whole(form: str, tmp_path: Path, weigh: Weigh) -> None:
    path = put(
        form,
        tmp_path,
        asks(1, "Find it."),
        says(2, tool("c1", "found " * 90), tokens=counts(10, 5000, 990, 20, 5), modelID="claude-opus-4-5"),
        says(3, "It is there.", tokens=counts(4, 6000, 300, 7, 2), modelID="claude-opus-4-5"),
        asks(4, "Thank you."),
    )
    assert [one[1:] for one in responses(open_transcript(path))] == [(6000, 5000, 25), (6304, 6000, 9)]
    answer = weigh(path)
    assert_sums(answer)
    assert answer.counted == Counted(6304, 6000, 9, size("Thank you."))
    assert tokens_of(answer)["untold"] == 6000 - size("Find it.")
    assert (answer.model, answer.window, answer.window_source) == ("claude-opus-4-5", 200_000, "table")


@pytest.mark.parametrize("form", FORMS)
def test_each_step_of_a_message_is_a_request_of_its_own(form: str, tmp_path: Path) -> None:
    start = {"type": "step-start"}
    steps = [start, tool("c1", "a"), finish(1000, 0, 0, 9), start, tool("c2", "b"), finish(100, 1000, 0, 8)]
    said = says(2, *steps, tokens=counts(100, 1000, 0, 8))
    found = responses(open_transcript(put(form, tmp_path, asks(1, "Find it."), said)))
    assert [one[1:] for one in found] == [(1000, 0, 9), (1100, 1000, 8)]
    assert found[0].message < found[1].message


def test_rows_of_version_2_tell_it_too(tmp_path: Path, weigh: Weigh) -> None:
    database = Database(tmp_path)
    database.connection.executescript(SECOND)
    content = [{"type": "text", "text": "It is there."}]
    told = {"model": {"id": "claude-opus-4-5", "providerID": "a"}, "tokens": counts(4, 6000, 300, 7, 2)}
    rows = [
        ("m1", "user", {"text": "Find it.", "time": {"created": 1}}),
        ("m2", "assistant", {"agent": "build", "content": content, "time": {"created": 2}, **told}),
    ]
    database.connection.execute(
        "INSERT INTO session_v2 (id, project_id, slug, directory, title, version, time_created, time_updated) "
        "VALUES ('ses_2', 'p1', 's', '/home/user/app', 'Two', '2', 1, 2)"
    )
    for seq, (id, kind, data) in enumerate(rows):
        row = (id, "ses_2", kind, seq, seq, seq, json.dumps(data))
        database.connection.execute("INSERT INTO session_message VALUES (?, ?, ?, ?, ?, ?, ?)", row)
    database.close()
    answer = weigh(database.path / "ses_2")
    assert_sums(answer)
    assert answer.counted == Counted(6304, 6000, 9, 0)
    assert answer.model == "claude-opus-4-5"
    assert Response(1, 6304, 6000, 9) in responses(open_transcript(database.path / "ses_2"))


def test_a_message_that_failed_or_tells_nothing_counts_for_nothing(tmp_path: Path, weigh: Weigh) -> None:
    messages = asks(1, "Find it."), says(2, "Partly.", tokens=counts(0, 0, 0, 0)), says(3, "On.")
    answer = weigh(put("export", tmp_path, *messages))
    assert answer.counted is None
