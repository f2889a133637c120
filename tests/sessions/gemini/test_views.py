"""Pruned Gemini CLI sessions: valid messages in the host's own form, and every byte back."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from prune_mcp.engine import Engine
from prune_mcp.pruning.options import ChainOptions, ErrorOptions, OpenChainOptions
from prune_mcp.sessions.model import Place
from prune_mcp.sessions.reader import Reader
from prune_mcp.sessions.transcript import open_transcript
from prune_mcp.sessions.view import View
from tests.pruning.build import log
from tests.sessions.gemini.writing import GeminiFile, asks, call, header, message, response, says
from tests.sessions.transcripts.reading import said
from tests.validity_documents import check_gemini

pytestmark = pytest.mark.requirement("SES-GEMINI", "PRU-VALID")

Make = Callable[..., Engine]
AGGRESSIVE: dict[str, Any] = {
    "keep_turns": 1,
    "chain_compression": ChainOptions(rolling_window=0),
    "open_chain": OpenChainOptions(keep_turns=1, min_tokens=200),
    "purge_errors": ErrorOptions(cooldown_turns=1, min_arg_chars=20, max_string_chars=10),
}
PIXEL = {"inlineData": {"mimeType": "image/png", "data": "iVBORw0KGgo="}}


def long_talk() -> list[dict[str, Any]]:
    """Exchanges with outputs of every form, one rewound, and a call at the end that waits."""
    records: list[dict[str, Any]] = [header()]
    number = 0
    for exchange in range(6):
        records.append(asks(number := number + 1, f"Question {exchange}"))
        for _ in range(3):
            id = f"c{(number := number + 1)}"
            calls = [
                call(f"{id}a", log(60, f"out_{number}.py") + "\ud83d"),
                call(f"{id}b", log(30, f"b{number}.py")),
            ]
            if exchange == 2:
                calls.append(call(f"{id}c", [response(f"{id}c", "see"), PIXEL]))
            if exchange == 3:
                bad = {"content": "words " * 200}
                calls.append(call(f"{id}d", [response(f"{id}d", {"error": "EROFS"})], status="error", args=bad))
            records.append(says(number, [{"text": f"Step {number}"}] if exchange % 2 else "", *calls))
        records.append(says(number := number + 1, f"Answer {exchange}"))
        records.append(message(number := number + 1, "info", "a note"))
    alone = {"functionCall": {"id": "alone", "name": "read", "args": {"path": "x"}}}
    records += [asks(90, "Left"), says(91, "", call("gone", log(50, "gone.py"))), {"$rewindTo": "m90"}]
    records += [asks(92, "On"), says(93, [alone]), asks(94, [response("alone", log(80, "alone.py"), "read")])]
    return [*records, says(95, "Last.", call("c95", log(40, "last.py")), call("waits"))]


def place(session: Reader, entry: str, at: int) -> Place:
    """The place of a block."""
    return Place(next(found.index for found in session.entries if found.id == entry), at)


def index(session: Reader, id: str) -> int:
    """Which message this is."""
    return next(at for at, message in enumerate(session.messages) if message.id == id)


def parsed(value: Any) -> Any:
    """As it reads in JSON."""
    return json.loads(json.dumps(value))


@pytest.mark.requirement("PRU-RECOVER", "SES-READONLY")
@pytest.mark.parametrize("form", ["jsonl", "json"])
@pytest.mark.parametrize("options", [{"keep_turns": 1}, AGGRESSIVE], ids=["stubs", "chains"])
def test_a_pruned_session_is_valid_and_every_output_comes_back(
    tmp_path: Path, make_engine: Make, options: dict[str, Any], form: str
) -> None:
    file, talk = GeminiFile(tmp_path, ending=form), long_talk()
    if form == "json":
        file.whole([record for record in talk[1:] if "id" in record])
    else:
        file.write(talk)
    before = file.path.read_bytes(), file.path.stat().st_mtime_ns
    session = open_transcript(file.path)
    originals = [session.text(block) for block in session.archive()]
    answer = make_engine(**options).prune_transcript(file.path, render=True)
    shown = list(answer.messages)
    assert check_gemini(shown) == []
    assert answer.tokens_after < answer.tokens_before / 2
    engine = make_engine()
    recovered = [engine.recover([f"t{n}"], budget=10**7).items[0].text for n in range(1, len(originals) + 1)]
    assert recovered == originals
    assert (file.path.read_bytes(), file.path.stat().st_mtime_ns) == before


def test_a_pruned_session_is_one_again(tmp_path: Path, gemini: GeminiFile, make_engine: Make) -> None:
    gemini.write(long_talk())
    shown = list(make_engine(keep_turns=1).prune_transcript(gemini.path, render=True).messages)
    again = open_transcript(GeminiFile(tmp_path / "again").write([header(), *shown]))
    assert list(again.render(View())) == parsed(shown)
    texts = "\n".join(text for _, texts in said(again) for text in texts)
    assert "Question 0" in texts
    assert "Left" not in texts


def test_an_edit_changes_its_place_and_nothing_else(gemini: GeminiFile) -> None:
    first = says(
        2, "I run.", call("c1", "long output", resultDisplay="x"), call("c2", "other"), thoughts=[{"a": 1}]
    )
    session = open_transcript(gemini.write([header(), asks(1, "go"), first]))
    view = View(
        texts={place(session, "m2/results", 0): "stub"},
        arguments={place(session, "m2", 2): {"command": "shorter"}},
    )
    shown = list(session.render(view))
    wanted = json.loads(json.dumps(first))
    wanted["toolCalls"][0]["result"] = [response("c1", "stub")]
    wanted["toolCalls"][1]["args"] = {"command": "shorter"}
    assert shown == [asks(1, "go"), wanted]
    assert list(session.render(View()))[1] == first


@pytest.mark.parametrize(
    ("result", "wanted"),
    [
        ("plain", "stub"),
        ([response("c1", {"error": "no"})], [response("c1", {"error": "stub"})]),
        ([response("c1", {"output": "x", "exit": 1})], [response("c1", "stub")]),
        ([response("c1", "x", parts=[PIXEL]), PIXEL], [response("c1", "stub")]),
        ([response("c0", "y"), response("c1", "x")], [response("c1", "stub")]),
        ([{"text": "only words"}], [{"text": "stub"}]),
    ],
)
def test_a_stub_stands_in_every_form_of_a_result(gemini: GeminiFile, result: Any, wanted: Any) -> None:
    session = open_transcript(gemini.write([header(), asks(1, "go"), says(2, "", call("c1", result=result))]))
    shown = list(session.render(View(texts={place(session, "m2/results", 0): "stub"})))
    assert shown[1]["toolCalls"][0]["result"] == wanted
    assert open_transcript(gemini.write([header(), *shown])).text(session.archive()[0]) == "stub"


def test_edits_in_a_content_stand_in_its_parts(gemini: GeminiFile) -> None:
    thought = {"text": "hm", "thought": True}
    told = {"functionCall": {"id": "c1", "name": "read", "args": {"path": "x"}}}
    records = [
        asks(1, "go"),
        says(2, [thought, {"text": "ok"}, told]),
        asks(3, [response("c1", "x", "read"), "more"]),
    ]
    session = open_transcript(gemini.write([header(), *records]))
    view = View(
        texts={place(session, "m3", 0): "stub"},
        arguments={place(session, "m2", 2): {"path": "y"}},
        stripped={place(session, "m2", 0)},
    )
    shown = list(session.render(view))
    assert shown[1]["content"] == [
        {"text": "ok"},
        {"functionCall": {**told["functionCall"], "args": {"path": "y"}}},
    ]
    assert shown[2]["content"] == [response("c1", "stub", "read"), "more"]


def test_notes_stand_as_text_in_place_of_calls_and_results(gemini: GeminiFile) -> None:
    records = [
        asks(1, "go"),
        says(2, "hm", call("c1"), call("c2", "x")),
        asks(3, [response("stray", "y", "read")]),
    ]
    session = open_transcript(gemini.write([header(), *records]))
    view = View(notes={place(session, "m2", 1): "[left out]", place(session, "m3", 0): "[answer left out]"})
    shown = list(session.render(view))
    assert check_gemini(shown) == []
    assert shown[1]["content"] == ["hm", {"text": "[left out]"}]
    assert [made["id"] for made in shown[1]["toolCalls"]] == ["c2"]
    assert shown[2]["content"] == [{"text": "[answer left out]"}]


def test_dropped_messages_vanish_and_texts_stand_where_they_belong(gemini: GeminiFile) -> None:
    records = [asks(1, "one"), says(2, "", call("c1", "x")), says(3, "done"), asks(4, "two")]
    session = open_transcript(gemini.write([header(), *records]))
    gone = {index(session, "m2"), index(session, "m2/results")}
    view = View(dropped=gone, inserted={-1: ["before all"], index(session, "m1"): ["a block", "another"]})
    shown = list(session.render(view))
    assert check_gemini(shown) == []
    assert [found["content"] for found in shown] == [
        [{"text": "before all"}],
        "one",
        [{"text": "a block"}],
        [{"text": "another"}],
        "done",
        "two",
    ]
    assert shown == list(open_transcript(gemini.path).render(view))
    assert list(session.render(View(dropped=set(range(len(session.messages)))))) == []


def test_a_view_without_the_results_leaves_the_calls_open(gemini: GeminiFile) -> None:
    session = open_transcript(gemini.write([header(), asks(1, "go"), says(2, "", call("c1", "x"))]))
    shown = list(session.render(View(dropped={index(session, "m2/results")})))
    assert shown[1]["toolCalls"][0]["result"] is None
    assert [found["id"] for found in session.render(View(dropped={index(session, "m2")}))] == ["m1"]


@pytest.mark.requirement("PRU-RECOVER")
@pytest.mark.parametrize("options", [{"keep_turns": 1}, AGGRESSIVE], ids=["stubs", "chains"])
def test_the_recorded_session_prunes_to_valid_messages_and_comes_back(
    shared_sessions: Path, make_engine: Make, options: dict[str, Any]
) -> None:
    paths = sorted((shared_sessions / "home" / ".gemini").rglob("session-*.json"))
    assert paths
    for path in paths:
        recorded = json.loads(path.read_bytes())["messages"]
        session = open_transcript(path)
        assert list(session.render(View())) == recorded
        calls = [made for found in recorded for made in found.get("toolCalls", ())]
        assert [block.call_id for block in session.archive()] == [made["id"] for made in calls]
        shown = list(make_engine(**options).prune_transcript(path, render=True).messages)
        assert check_gemini(shown) == check_gemini(recorded) == []
        engine = make_engine()
        for number, made in enumerate(calls, 1):
            said = made["result"][0]["functionResponse"]["response"]
            assert engine.recover([f"t{number}"], budget=10**7).items[0].text == said.get(
                "output", said.get("error")
            )
