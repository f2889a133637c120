"""What Gemini CLI's sessions tell history: who says what, each thing once."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from tests.sessions.gemini.writing import GeminiFile, asks, call, header, message, response, says
from tests.sessions.history.told import history, only, passages, told

pytestmark = pytest.mark.requirement("SES-GEMINI", "HIS-FIND")

FILES = [
    {"text": "explain @a.py"},
    {"text": "--- Content from referenced files ---"},
    {"text": "\nContent from @a.py:\n"},
    {"text": "import os"},
    {"text": "--- End of content ---"},
]


def test_each_thing_is_told_once_by_who_said_it(gemini: GeminiFile) -> None:
    thought = {"subject": "Plan", "description": "look first", "timestamp": "2026-02-03T08:02:00.000Z"}
    half = says(2, "I lo")
    records = [
        header(summary="The file"),
        asks(1, "Where is it?"),
        half,
        says(2, "I look.", call("c1", "in a.py"), thoughts=[thought, {"subject": "", "description": 5}, "odd"]),
        message(3, "warning", "Slow."),
        asks(4, "/stats"),
    ]
    assert told(gemini.write(records)) == [
        ("title", "The file"),
        ("user", "Where is it?"),
        ("assistant", "I look."),
        ("call", "command: run c1"),
        ("thinking", "Plan\nlook first"),
        ("result", "in a.py"),
        ("machine", "Slow."),
        ("user", "/stats"),
    ]


@pytest.mark.parametrize(
    ("content", "fields", "own", "machine"),
    [
        (FILES, {}, ["explain @a.py"], [part["text"] for part in FILES[1:]]),
        (FILES, {"displayContent": "explain @a.py"}, ["explain @a.py"], [part["text"] for part in FILES[1:]]),
        ("expanded to this", {"displayContent": [{"text": "typed"}]}, ["typed"], ["expanded to this"]),
        ("<session_context>\nToday", {}, [], ["<session_context>\nToday"]),
        ([{"text": "<hook_context>x"}, {"text": "mine"}], {}, ["mine"], ["<hook_context>x"]),
    ],
)
def test_what_the_host_put_among_the_persons_words_is_told_apart(
    gemini: GeminiFile, content: Any, fields: dict[str, Any], own: list[str], machine: list[str]
) -> None:
    found = told(gemini.write([header(), asks(1, content, **fields)]))
    assert [text for role, text in found if role == "user"] == own
    assert [text for role, text in found if role == "machine"] == [text for text in machine if text.strip()]


def test_a_summary_of_what_was_compressed_is_one(gemini: GeminiFile) -> None:
    records = [header(), asks(1, "before"), {"$set": {"messages": [asks(9, "<state_snapshot>all done")]}}]
    assert told(gemini.write(records)) == [("user", "before"), ("summary", "<state_snapshot>all done")]


def test_passages_tell_their_time_tool_and_flags(gemini: GeminiFile) -> None:
    failed = call("c1", [response("c1", {"error": "no such file"})], status="error")
    path = gemini.write([header(), asks(1, "kept"), asks(2, "left"), says(3, "", failed), {"$rewindTo": "m2"}])
    assert not only(path, "kept").abandoned
    found = only(path, "no such file")
    assert (found.role, found.tool, found.error, found.abandoned) == ("result", "run_shell_command", True, True)
    assert (found.entry, found.time) == ("m3/results", 1770109140.0)
    places = [(passage.entry, passage.at) for passage in passages(path)]
    assert len(set(places)) == len(places)


def test_a_search_of_ours_and_what_it_brought_are_echoes(gemini: GeminiFile) -> None:
    asked = call("c1", "a hit", name="prune-mcp__history_search", args={"query": "x"})
    path = gemini.write([header(), asks(1, "go"), says(2, "", asked, call("c2", "an output"))])
    assert [(passage.role, passage.echo) for passage in passages(path) if passage.tool] == [
        ("call", True),
        ("call", False),
        ("result", True),
        ("result", False),
    ]


def test_the_recorded_session_tells_all_its_words(shared_sessions: Path) -> None:
    for path in (shared_sessions / "home" / ".gemini").rglob("session-*.json"):
        found = passages(path)
        texts = [passage.text for passage in found]
        messages = json.loads(path.read_bytes())["messages"]
        for said in messages:
            assert not said["content"] or texts.count(said["content"]) == 1
            for made in said.get("toolCalls", ()):
                answer = made["result"][0]["functionResponse"]["response"]
                assert answer.get("output", answer.get("error")) in texts
            for thought in said.get("thoughts", ()):
                assert f"{thought['subject']}\n{thought['description']}" in texts
        assert [passage.text for passage in found if passage.role == "user"] == [
            said["content"] for said in messages if said["type"] == "user"
        ]


def test_the_history_of_a_session_names_it(gemini: GeminiFile) -> None:
    (gemini.project / ".project_root").write_text("/home/user/app")
    read = history(gemini.write([header(kind="main"), asks(1, "go")]))
    list(read.passages())
    assert (read.host, read.session, read.cwd, read.title) == (
        "gemini",
        header()["sessionId"],
        "/home/user/app",
        "go",
    )


@pytest.mark.requirement("SES-LIVE")
def test_what_came_since_the_last_prompt_is_not_settled_yet(gemini: GeminiFile) -> None:
    first = [header(), asks(1, "one"), says(2, "answer one")]
    read = history(gemini.write([*first, asks(3, "two"), says(4, "hal")]))
    assert [passage.text for passage in read.passages()] == ["one", "answer one"]
    assert [passage.text for passage in read.rest()] == ["two", "hal"]
    mark = read.mark()
    gemini.write([*first, asks(3, "two"), says(4, "half"), asks(5, "three")])
    for since in (mark, None):
        again = history(gemini.path, since)
        assert [passage.text for passage in again.passages()] == ["one", "answer one", "two", "half"]
        assert [passage.text for passage in again.rest()] == ["three"]
        assert again.fresh
    same = history(gemini.path, again.mark())
    assert len([*same.passages(), *same.rest()]) == 5
