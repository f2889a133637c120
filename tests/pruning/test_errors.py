"""Purge of failed calls' arguments."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from prune_mcp.engine.engine import Engine
from prune_mcp.pruning.options import ChainOptions, ErrorOptions
from tests.pruning.build import Talk, call, log

PATCH = "x = 1\n" * 200


def inputs(messages: list[dict[str, object]]) -> list[dict[str, object]]:
    return [
        block["input"]
        for message in messages
        if isinstance(message["content"], list)
        for block in message["content"]
        if block["type"] == "tool_use"
    ]


def failed(later: int, **extra: Any) -> Talk:
    talk = (
        Talk()
        .prompt("go")
        .turn(
            call("Edit", "String to replace not found", error=True, file_path="/a.py", new_string=PATCH, **extra)
        )
    )
    return talk.turns(later)


@pytest.mark.requirement("PRU-ERRORS")
@pytest.mark.parametrize(("later", "purged"), [(1, False), (2, True), (3, True)])
def test_long_arguments_of_an_error_shrink_once_it_is_old(engine: Engine, later: int, purged: bool) -> None:
    answer = engine.prune_messages(failed(later, edits=[{"old": PATCH}], count=3).messages)
    shown = inputs(answer.messages)[0]
    assert (shown["new_string"] != PATCH) is purged
    assert (shown["file_path"], shown["count"]) == ("/a.py", 3)
    if purged:
        assert shown["new_string"] == '<purged-errored-args size="1200" ref="t1:args"/>'
        assert shown["edits"] == [{"old": '<purged-errored-args size="1200" ref="t1:args"/>'}]
        assert answer.refs[0] == "t1:args"
        whole = json.loads(engine.recover(["t1:args"], session=answer.session).items[0].text)
        assert whole == {"file_path": "/a.py", "new_string": PATCH, "edits": [{"old": PATCH}], "count": 3}


@pytest.mark.requirement("PRU-ERRORS")
def test_the_error_text_stays_in_view(engine: Engine) -> None:
    answer = engine.prune_messages(failed(6).answer("done").messages)
    assert "String to replace not found" in json.dumps(answer.messages)


@pytest.mark.requirement("PRU-ERRORS")
def test_small_arguments_and_successful_calls_keep_theirs(make_engine: Callable[..., Engine]) -> None:
    talk = Talk().prompt("go").turn(call("Edit", "no", error=True, new_string="y" * 400))
    talk.turn(call("Edit", "ok", new_string=PATCH)).turns(4)
    answer = make_engine().prune_messages(talk.messages)
    assert [i.get("new_string") for i in inputs(answer.messages)][:2] == ["y" * 400, PATCH]
    off = make_engine(purge_errors=ErrorOptions(enabled=False)).prune_messages(failed(4).messages, session="off")
    assert inputs(off.messages)[0]["new_string"] == PATCH


@pytest.mark.requirement("PRU-ERRORS")
def test_purging_goes_by_occurrence_not_by_call_id(engine: Engine) -> None:
    talk = Talk().prompt("go").turn(call("Edit", "failed", id="same", error=True, new_string=PATCH))
    talk.turn(call("Edit", "fine", id="same", new_string=PATCH)).turns(3)
    shown = inputs(engine.prune_messages(talk.messages).messages)
    assert shown[0]["new_string"] != PATCH
    assert shown[1]["new_string"] == PATCH


@pytest.mark.requirement("PRU-ERRORS", "PRU-IDEM")
def test_a_purged_view_is_not_purged_again(engine: Engine) -> None:
    once = engine.prune_messages(failed(4).messages)
    twice = engine.prune_messages(once.messages)
    assert twice.messages == once.messages
    assert json.loads(engine.recover(["t1:args"], session=once.session).items[0].text)["new_string"] == PATCH


@pytest.mark.requirement("PRU-ERRORS", "REC-LAST")
def test_lost_arguments_of_one_call_keep_nothing_else_from_being_pruned(
    make_engine: Callable[..., Engine], env: dict[str, str]
) -> None:
    talk = failed(4).turn(call("Bash", log(60), command="make"), text="Looking. " * 60).answer("done")
    session = make_engine().prune_messages(talk.messages).session
    with closing(sqlite3.connect(Path(env["PRUNE_MCP_HOME"]) / "data" / "store.db")) as store, store:
        kept = store.execute("SELECT sha FROM facets").fetchall()
        assert len(kept) == 1
        store.execute("DELETE FROM bodies WHERE sha = ?", kept[0])
    engine = make_engine(chain_compression=ChainOptions(rolling_window=0))
    answer = engine.prune_messages(talk.messages, session=session, keep_turns=0)
    assert "b1" in answer.refs
    assert "Looking." in engine.recover(["b1"], session=session, budget=10**6).items[0].text
    assert engine.recover(["t1:args"], session=session).items[0].status == "damaged"
