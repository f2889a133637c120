"""What Gemini CLI's sessions hold, whichever form they have."""

from __future__ import annotations

from typing import Any

import pytest

from prune_mcp.sessions.transcript import open_transcript
from prune_mcp.sessions.view import View
from tests.sessions.gemini.writing import SESSION, GeminiFile, asks, call, header, message, response, says
from tests.sessions.transcripts.reading import outputs, prompts, said

pytestmark = pytest.mark.requirement("SES-GEMINI")

PIXEL = {"inlineData": {"mimeType": "image/png", "data": "iVBORw0KGgo="}}
TALK = [
    asks(1, "Where is it?"),
    says(2, "I look.", call("c1", "a.py\nb.py"), call("c2", "gone", status="error")),
    message(3, "info", "Context is filling."),
    says(4, "In a.py."),
]
READ = [
    ("user", ["Where is it?"]),
    ("assistant", ["I look.", "call c1", "call c2"]),
    ("user", ["result c1", "result c2"]),
    ("assistant", ["In a.py."]),
]


@pytest.mark.parametrize("indent", [None, 2])
def test_both_forms_of_a_session_read_the_same(gemini: GeminiFile, old: GeminiFile, indent: int | None) -> None:
    old.whole(TALK, indent)
    gemini.write([header(), *TALK])
    for path in (old.path, gemini.path):
        session = open_transcript(path)
        assert said(session) == READ
        assert (session.session, session.host, session.format) == (SESSION, "gemini", "gemini")
        assert outputs(session) == ["a.py\nb.py", "gone"]
        assert [(block.tool, block.error) for block in session.archive()] == [
            ("run_shell_command", False),
            ("run_shell_command", True),
        ]
        assert list(session.render(View())) == [TALK[0], TALK[1], TALK[3]]


def test_a_call_and_its_result_know_each_other(gemini: GeminiFile) -> None:
    session = open_transcript(gemini.write([header(), *TALK]))
    result = session.archive()[1]
    asked = session.called(result)
    assert asked is not None
    assert session.arguments(asked) == {"command": "run c2"}
    assert session.text(asked) == '{"command":"run c2"}'
    assert session.raw(result.place.entry) == session.raw(asked.place.entry) == TALK[1]


def test_a_call_without_a_result_is_one(gemini: GeminiFile) -> None:
    session = open_transcript(gemini.write([header(), asks(1, "go"), says(2, "", call("c1"))]))
    assert said(session) == [("user", ["go"]), ("assistant", ["call c1"])]
    assert session.archive() == []


@pytest.mark.parametrize(
    ("result", "text", "images"),
    [
        ("plain", "plain", 0),
        ([response("c1", {"output": "x", "exit": 1})], '{"output":"x","exit":1}', 0),
        ([response("c1", {"error": "no such file"})], "no such file", 0),
        ([response("c1", {})], "{}", 0),
        ([response("c1", "see:"), PIXEL, {"text": "after"}], "see:\nafter", 1),
        ([response("c1", "inside", parts=[PIXEL])], "inside", 1),
        ([response("c1", "mine"), response("c9", "theirs")], "mine", 0),
        ({"functionResponse": {"id": "c1", "name": "x", "response": {"output": "single"}}}, "single", 0),
        ([response("c1", "half \ud83d emoji \u2028 line")], "half \ud83d emoji \u2028 line", 0),
        ([{"fileData": {"fileUri": "gs://a"}}], '{"fileData":{"fileUri":"gs://a"}}', 0),
    ],
)
def test_every_form_of_a_result_is_read(gemini: GeminiFile, result: Any, text: str, images: int) -> None:
    session = open_transcript(gemini.write([header(), asks(1, "go"), says(2, "", call("c1", result=result))]))
    block = session.archive()[0]
    assert session.text(block) == text
    assert (block.chars, block.images, len(session.images(block))) == (len(text), images, images)


def test_an_answer_that_only_tells_an_error_is_one(gemini: GeminiFile) -> None:
    results = [call("c1", [response("c1", {"error": "no"})]), call("c2", "stopped", status="cancelled")]
    session = open_transcript(gemini.write([header(), asks(1, "go"), says(2, "", *results)]))
    assert [block.error for block in session.archive()] == [True, True]


def test_parts_of_a_content_are_blocks(gemini: GeminiFile) -> None:
    thought = {"text": "let me think", "thought": True, "thoughtSignature": "sig"}
    parts = ["bare", {"text": "part"}, thought, PIXEL, {"executableCode": {"code": "1"}}]
    session = open_transcript(gemini.write([header(), asks(1, ["see", PIXEL]), says(2, parts)]))
    assert [[block.kind for block in message.blocks] for message in session.messages] == [
        ["text", "image"],
        ["text", "text", "thinking", "image", "other"],
    ]
    assert [block.signed for block in session.messages[1].blocks] == [False, False, True, False, False]
    assert session.images(session.messages[0].blocks[1]) == [("image/png", "iVBORw0KGgo=")]


def test_a_call_in_the_content_as_well_counts_once(gemini: GeminiFile) -> None:
    told = {"functionCall": {"id": "c1", "name": "run_shell_command", "args": {"command": "run c1"}}}
    nameless = {"functionCall": {"name": "run_shell_command", "args": {"command": "run c2"}}}
    records = [asks(1, "go"), says(2, [{"text": "ok"}, told, nameless], call("c1", "one"), call("c2", "two"))]
    session = open_transcript(gemini.write([header(), *records, asks(3, [response("c1", "one")])]))
    assert said(session)[1:] == [("assistant", ["ok", "call c1", "call c2"]), ("user", ["result c1", "result c2"])]


def test_calls_and_results_that_stand_in_contents_alone_are_read(gemini: GeminiFile) -> None:
    told = {"functionCall": {"id": "c1", "name": "read", "args": {"path": "x"}}}
    records = [asks(1, "go"), says(2, [told]), asks(3, [response("c1", "the file", "read")]), says(4, "done")]
    session = open_transcript(gemini.write([header(), *records]))
    assert said(session) == [
        ("user", ["go"]),
        ("assistant", ["call c1"]),
        ("user", ["result c1"]),
        ("assistant", ["done"]),
    ]
    assert (outputs(session), prompts(session)) == (["the file"], ["go"])


@pytest.mark.parametrize(
    ("content", "sent", "prompt"),
    [
        ("a question", True, True),
        ("/stats model", False, False),
        ("? help", False, False),
        ([{"text": "<session_context>\nToday is"}], True, False),
        ("<hook_context>from a hook</hook_context>", True, False),
        ([{"text": "mine"}, {"text": "<hook_context>theirs</hook_context>"}], True, True),
        ([PIXEL], True, True),
    ],
)
def test_only_what_the_person_asked_is_a_prompt(
    gemini: GeminiFile, content: Any, sent: bool, prompt: bool
) -> None:
    session = open_transcript(gemini.write([header(), asks(1, content), says(2, "ok")]))
    assert [message.prompt for message in session.messages if message.role == "user"] == ([prompt] if sent else [])


def test_a_response_that_holds_thoughts_alone_is_not_sent(gemini: GeminiFile) -> None:
    thought = {"subject": "Plan", "description": "first this", "timestamp": "2026-02-03T08:02:00.000Z"}
    session = open_transcript(gemini.write([header(), asks(1, "go"), says(2, "", thoughts=[thought])]))
    assert said(session) == [("user", ["go"])]


@pytest.mark.parametrize(
    ("fields", "records", "title"),
    [
        ({}, [asks(1, "/init"), asks(2, "<session_context>x"), asks(3, "First  asked\nhere")], "First asked here"),
        ({"summary": "Find the file"}, [asks(1, "First asked")], "Find the file"),
        ({}, [asks(1, "see @a", displayContent="see @a"), {"$set": {"summary": "Named later"}}], "Named later"),
        ({}, [asks(1, "expanded", displayContent=[{"text": "typed"}])], "typed"),
        ({}, [asks(1, "taken back"), {"$rewindTo": "m1"}, asks(2, "asked instead")], "asked instead"),
    ],
)
def test_a_session_is_called_by_its_summary_else_by_its_first_prompt(
    gemini: GeminiFile, fields: dict[str, Any], records: list[Any], title: str
) -> None:
    assert open_transcript(gemini.write([header(**fields), *records])).title == title


def test_fields_nobody_knows_stay_as_they_are(gemini: GeminiFile) -> None:
    odd = says(
        2, "x", call("c1", "y", agentId="a", resultDisplay={"fileDiff": "-"}), tokens={"input": 1}, new=[{}]
    )
    records = [asks(1, "go", displayContent=[{"text": "go"}], later={"a": 2**70}), odd]
    assert list(open_transcript(gemini.write([header(), *records])).render(View())) == records
