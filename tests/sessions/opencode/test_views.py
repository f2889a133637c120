"""Pruned opencode sessions: valid messages in the host's own form, and every byte back."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from prune_mcp.engine import Engine
from prune_mcp.pruning.options import ChainOptions, ErrorOptions, OpenChainOptions
from prune_mcp.sessions.model import Place as Spot
from prune_mcp.sessions.reader import Reader
from prune_mcp.sessions.transcript import open_transcript
from prune_mcp.sessions.view import View
from tests.pruning.build import log
from tests.sessions.opencode.conftest import Place
from tests.sessions.opencode.writing import (
    SESSION,
    Database,
    asks,
    export,
    failed,
    id_of,
    says,
    step,
    text,
    thought,
    tool,
)
from tests.sessions.transcripts.reading import said
from tests.validity_documents import check_opencode

pytestmark = pytest.mark.requirement("SES-OPENCODE", "PRU-VALID")

Make = Callable[..., Engine]
AGGRESSIVE: dict[str, Any] = {
    "keep_turns": 1,
    "chain_compression": ChainOptions(rolling_window=0),
    "open_chain": OpenChainOptions(keep_turns=1, min_tokens=200),
    "purge_errors": ErrorOptions(cooldown_turns=1, min_arg_chars=20, max_string_chars=10),
}
PIXEL = {"type": "file", "mime": "image/png", "filename": "a.png", "url": "data:image/png;base64,iVBORw0KGgo="}
CLEARED = {"start": 1, "end": 2, "compacted": 3}


def long_talk() -> list[dict[str, Any]]:
    """Exchanges with outputs of every form, some in steps of one answer, and a call at the end that waits."""
    talk: list[dict[str, Any]] = []
    number = 0
    for exchange in range(6):
        prompt = number = number + 1
        talk.append(asks(prompt, f"Question {exchange}", text("Called the Read tool", synthetic=True)))
        for _ in range(3):
            id = f"c{(number := number + 1)}"
            tools = [
                tool(f"{id}a", log(60, f"out_{number}.py") + "\ud83d"),
                tool(f"{id}b", log(30, f"b{number}.py")),
            ]
            if exchange == 2:
                tools.append(tool(f"{id}c", "see", attachments=[PIXEL]))
            if exchange == 3:
                tools.append(failed(f"{id}d", "EROFS", input={"content": "words " * 200}))
                tools.append(tool(f"{id}e", log(20, "cleared.py"), time=CLEARED))
            steps = [step(), *tools[:1], step("finish"), step(), thought("hm"), *tools[1:], step("finish")]
            talk.append(says(number, *(steps if exchange % 2 else [step(), f"Step {number}", *tools]), to=prompt))
        talk.append(says(number := number + 1, f"Answer {exchange}", to=prompt))
    talk.append(asks(number := number + 1, "Last"))
    return [*talk, says(number + 1, tool("last", log(40, "last.py")), tool("waits"), to=number)]


def spot(session: Reader, entry: str, at: int) -> Spot:
    """The place of a block."""
    return Spot(next(found.index for found in session.entries if found.id == entry), at)


def index(session: Reader, id: str) -> int:
    """Which message this is."""
    return next(at for at, message in enumerate(session.messages) if message.id == id)


@pytest.mark.requirement("PRU-RECOVER")
@pytest.mark.parametrize("options", [{"keep_turns": 1}, AGGRESSIVE], ids=["stubs", "chains"])
def test_a_pruned_session_is_valid_and_every_output_comes_back(
    place: Place, make_engine: Make, options: dict[str, Any], tmp_path: Path
) -> None:
    path = place(*long_talk())
    session = open_transcript(path)
    originals = [session.persisted(block) or session.text(block) for block in session.archive()]
    whole = ["" if session.persisted(block) is None else ":full" for block in session.archive()]
    answer = make_engine(**options).prune_transcript(path, render=True)
    shown = list(answer.messages)
    assert check_opencode(shown) == []
    assert answer.tokens_after < answer.tokens_before / 2
    engine = make_engine()
    refs = [f"t{number}{part}" for number, part in enumerate(whole, 1)]
    recovered = [engine.recover([ref], budget=10**7).items[0].text for ref in refs]
    assert recovered == originals
    again = open_transcript(export(tmp_path / "again.json", *shown))
    assert list(again.render(View())) == json.loads(json.dumps(shown))


@pytest.mark.requirement("PRU-EFFECT")
def test_a_session_in_a_database_is_advised_on_under_its_address(database: Database, make_engine: Make) -> None:
    address = database.session(SESSION, *long_talk())
    engine = make_engine(keep_turns=1)
    answer = engine.prune_transcript(address)
    assert (answer.session, answer.host, answer.effect) == (SESSION, "opencode", "advisory")
    database.add(asks(90, "more"))
    database.add(says(91, tool("new", log(50, "new.py")), to=90))
    again = engine.prune_transcript(address)
    assert again.refs[: len(answer.refs)] == answer.refs or set(answer.refs) <= set(again.refs)
    assert [row.path for row in engine.sessions()] == [""]


def test_an_edit_changes_its_place_and_nothing_else(place: Place) -> None:
    first = says(2, step(), "I run.", tool("c1", "long output", attachments=[PIXEL]), tool("c2", "other"))
    session = open_transcript(place(asks(1, "go"), first))
    view = View(
        texts={spot(session, f"{id_of(2)}/results", 0): "stub"},
        arguments={spot(session, id_of(2), 2): {"command": "shorter"}},
    )
    wanted = json.loads(json.dumps(first))
    wanted["parts"][2]["state"]["output"] = "stub"
    del wanted["parts"][2]["state"]["attachments"]
    wanted["parts"][3]["state"]["input"] = {"command": "shorter"}
    assert list(session.render(view)) == [asks(1, "go"), wanted]
    assert list(session.render(View()))[1] == first


@pytest.mark.parametrize(
    "part",
    [
        tool("c1", "x"),
        tool("c1", "x", time=CLEARED),
        failed("c1", "no"),
        failed("c1", "no", metadata={"interrupted": True, "output": "so far"}),
    ],
)
def test_a_stub_stands_in_every_form_of_a_result(place: Place, part: dict[str, Any], tmp_path: Path) -> None:
    session = open_transcript(place(asks(1, "go"), says(2, part)))
    shown = list(session.render(View(texts={spot(session, f"{id_of(2)}/results", 0): "stub"})))
    again = open_transcript(export(tmp_path / "again.json", *shown))
    assert [(again.text(block), block.error) for block in again.archive()] == [
        ("stub", session.archive()[0].error)
    ]


def test_notes_stand_as_text_in_place_of_calls(place: Place) -> None:
    session = open_transcript(place(asks(1, "go"), says(2, tool("c1"), tool("c2", "x"))))
    shown = list(session.render(View(notes={spot(session, id_of(2), 0): "[left out]"})))
    assert check_opencode(shown) == []
    assert shown[1]["parts"][0]["text"] == "[left out]"


def test_stripped_thoughts_go_and_the_marks_of_a_step_with_all_it_said(place: Place) -> None:
    answer = says(2, step(), tool("c1", "x"), step("finish"), step(), thought("hm"), step("finish"))
    session = open_transcript(place(asks(1, "go"), answer))
    shown = list(session.render(View(stripped={spot(session, f"{id_of(2)}/2", 0)})))
    assert [part["type"] for part in shown[1]["parts"]] == ["step-start", "tool", "step-finish"]


def test_dropped_messages_vanish_and_answers_name_a_prompt_that_is_there(place: Place, tmp_path: Path) -> None:
    talk = [asks(1, "one"), says(2, tool("c1", "x")), says(3, "done"), asks(4, "two"), says(5, "ok", to=4)]
    session = open_transcript(place(*talk))
    gone = {index(session, id) for id in (id_of(1), id_of(2), f"{id_of(2)}/results", id_of(4))}
    view = View(dropped=gone, inserted={-1: ["before all"], index(session, id_of(1)): ["a block"]})
    shown = list(session.render(view))
    assert check_opencode(shown) == []
    assert [found["parts"][0]["text"] for found in shown] == ["before all", "a block", "done", "ok"]
    assert [found["info"].get("parentID") for found in shown[2:]] == [shown[1]["info"]["id"]] * 2
    assert shown == list(session.render(view))
    again = open_transcript(export(tmp_path / "again.json", *shown))
    assert [message.prompt for message in again.messages] == [False, False, False, False]


def test_one_step_of_an_answer_is_dropped_without_the_others(place: Place) -> None:
    answer = says(
        2, step(), tool("c1", "x"), step("finish"), step(), tool("c2", "y"), step("finish"), step(), "end"
    )
    session = open_transcript(place(asks(1, "go"), answer))
    gone = {index(session, id) for id in (id_of(2), f"{id_of(2)}/results")}
    shown = list(session.render(View(dropped=gone)))
    assert check_opencode(shown) == []
    assert [part["type"] for part in shown[1]["parts"]] == [
        "step-start",
        "tool",
        "step-finish",
        "step-start",
        "text",
    ]
    only_results = View(dropped={index(session, f"{id_of(2)}/results")})
    assert list(session.render(only_results))[1]["parts"][1]["state"]["status"] == "pending"


def test_everything_dropped_leaves_nothing(place: Place) -> None:
    session = open_transcript(place(*long_talk()))
    assert list(session.render(View(dropped=set(range(len(session.messages)))))) == []
    assert said(session)
