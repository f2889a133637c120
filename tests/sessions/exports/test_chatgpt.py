"""Conversations of ChatGPT: a tree of nodes, contents of many types, tools and what they gave."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from prune_mcp.sessions.exports.bring import import_export
from prune_mcp.sessions.transcript import open_transcript
from prune_mcp.sessions.view import View
from tests.sessions.exports.build import Imports, node, says, shape, spoken, thread

pytestmark = pytest.mark.requirement("SES-EXPORTS")


def code(text: str, **more: Any) -> dict[str, Any]:
    return {"content_type": "code", "language": "unknown", "text": text} | more


def output(text: str) -> dict[str, Any]:
    return {"content_type": "execution_output", "text": text}


def test_a_message_to_a_tool_is_a_call_and_the_tools_message_its_output(imports: Imports) -> None:
    session = imports.read(
        [
            thread(
                1,
                says("user", "Compute"),
                says("assistant", code("print(6 * 7)"), "python"),
                says("tool", output("42"), name="python"),
                says("assistant", "It is 42."),
            )
        ]
    )
    assert shape(session) == [
        ("user", [("text", "Compute")]),
        ("assistant", [("call", "print(6 * 7)")]),
        ("user", [("result", "42")]),
        ("assistant", [("text", "It is 42.")]),
    ]
    [result] = session.archive()
    call = session.called(result)
    assert call is not None
    assert (result.tool, call.tool, session.arguments(call)) == ("python", "python", "print(6 * 7)")


def test_several_messages_of_a_tool_all_answer_its_call(imports: Imports) -> None:
    quote = {"content_type": "tether_quote", "url": "https://a.example", "title": "A", "text": "quoted words"}
    shown = {"content_type": "tether_browsing_display", "result": "page text", "summary": "short"}
    session = imports.read(
        [
            thread(
                1,
                says("user", "Browse"),
                says("assistant", code('search("tea")'), "browser"),
                says("tool", shown, name="browser"),
                says("tool", quote, name="browser"),
            )
        ]
    )
    results = session.archive()
    assert {result.call_id for result in results} == {session.messages[1].calls[0].call_id}
    assert [session.text(result) for result in results] == [
        "short\npage text",
        "A\nhttps://a.example\nquoted words",
    ]


def test_arguments_are_json_where_they_are(imports: Imports) -> None:
    session = imports.read(
        [thread(1, says("user", "Q"), says("assistant", code('{"prompt": "a cat"}'), "dalle.text2im"))]
    )
    [call] = session.messages[1].calls
    assert (call.tool, session.arguments(call)) == ("dalle.text2im", {"prompt": "a cat"})


@pytest.mark.parametrize(
    ("content", "role", "text"),
    [
        ({"content_type": "text", "parts": ["one", "", "two"]}, "assistant", ["one", "two"]),
        ({"parts": ["no type"]}, "assistant", ["no type"]),
        ("just a string", "assistant", ["just a string"]),
        (code("a = 1"), "assistant", ["a = 1"]),
        ({"content_type": "sonic_webpage", "url": "u", "title": "t", "text": "page"}, "assistant", ["t\nu\npage"]),
        ({"content_type": "a_new_type", "text": "new words"}, "assistant", ["new words"]),
        ({"content_type": "thoughts", "thoughts": [{"summary": "S", "content": "C"}]}, "thinking", ["S\nC"]),
        ({"content_type": "reasoning_recap", "content": "Thought for 4s"}, "assistant", []),
        (None, "assistant", []),
        ({"content_type": "text"}, "assistant", []),
    ],
)
def test_contents_of_every_type_say_their_words(
    imports: Imports, content: Any, role: str, text: list[str]
) -> None:
    passages = imports.passages([thread(1, says("user", "Q"), says("assistant", content))])
    words = [passage for passage in passages[2:] if "content_type" not in passage.text]
    assert [(passage.role, passage.text) for passage in words] == [(role, each) for each in text]


def test_the_channel_of_analysis_is_thinking(imports: Imports) -> None:
    passages = imports.passages([thread(1, says("user", "Q"), says("assistant", "hmm", channel="analysis"))])
    assert spoken(passages)[-1] == ("thinking", "hmm")


def test_spoken_words_and_images_of_the_person(imports: Imports) -> None:
    parts = [
        {"content_type": "audio_transcription", "text": "what I said", "direction": "in"},
        {"content_type": "audio_asset_pointer", "asset_pointer": "file-service://a"},
        {"content_type": "real_time_user_audio_video_asset_pointer", "audio_asset_pointer": {"x": 1}},
        {"content_type": "image_asset_pointer", "asset_pointer": "file-service://b"},
        "and typed",
    ]
    message = says(
        "user", {"content_type": "multimodal_text", "parts": parts}, metadata={"attachments": [{"name": "b.png"}]}
    )
    assert spoken(imports.passages([thread(1, message)]))[1:] == [
        ("user", "what I said"),
        ("user", "and typed"),
        ("user", "b.png"),
    ]
    session = open_transcript(imports.files()[0].path)
    assert sum(block.images for block in session.messages[0].blocks) == 1


def test_what_the_person_told_of_themselves_is_the_machines(imports: Imports) -> None:
    context = {
        "content_type": "user_editable_context",
        "user_profile": "A potter",
        "user_instructions": "Be brief",
    }
    hidden = {"is_visually_hidden_from_conversation": True, "is_user_system_message": True}
    passages = imports.passages(
        [
            thread(
                1,
                says("system", "", metadata=hidden),
                says("user", context, metadata=hidden),
                says("user", "secret hint", metadata={"is_visually_hidden_from_conversation": True}),
                says("user", "Hello"),
            )
        ]
    )
    assert spoken(passages)[1:] == [
        ("machine", "A potter\nBe brief"),
        ("machine", "secret hint"),
        ("user", "Hello"),
    ]
    session = open_transcript(imports.files()[0].path)
    assert [message.prompt for message in session.messages] == [False, False, True]


def test_failed_runs_are_errors(imports: Imports) -> None:
    failed = {"aggregate_result": {"status": "failed_with_in_kernel_exception"}}
    session = imports.read(
        [
            thread(
                1,
                says("user", "Q"),
                says("assistant", code("1/0"), "python"),
                says("tool", output("ZeroDivisionError"), name="python", metadata=failed),
                says("assistant", code("x"), "python"),
                says("tool", {"content_type": "system_error", "name": "E", "text": "boom"}, name="python"),
                says("assistant", code("1"), "python"),
                says("tool", output("1"), name="python"),
            )
        ]
    )
    assert [result.error for result in session.archive()] == [True, True, False]


def forked(**more: Any) -> dict[str, Any]:
    mapping = {
        "answer-2": node("answer-2", "question", {"id": "answer-2", **says("assistant", "Second")}),
        "root": node("root", None, None, "question"),
        "answer-1": node("answer-1", "question", {"id": "answer-1", **says("assistant", "First")}, "followup"),
        "question": node("question", "root", {"id": "question", **says("user", "Q")}, "answer-1", "answer-2"),
        "followup": node("followup", "answer-1", {"id": "followup", **says("user", "More")}),
    }
    return thread(1) | {"mapping": mapping, "current_node": "answer-2"} | more


def test_the_current_node_tells_the_branch_and_others_are_flagged(imports: Imports) -> None:
    passages = imports.passages([forked()])
    assert [(passage.text, passage.abandoned) for passage in passages[1:]] == [
        ("Q", False),
        ("Second", False),
        ("First", True),
        ("More", True),
    ]


@pytest.mark.parametrize("current", [None, "gone", 5])
def test_without_a_current_node_the_newest_leaf_counts(imports: Imports, current: Any) -> None:
    conversation = forked(current_node=current)
    conversation["mapping"]["followup"]["message"]["create_time"] = 1841064767.5
    session = imports.read([conversation])
    assert [text for _, [(_, text)] in shape(session)] == ["Q", "First", "More"]


def test_a_circle_of_nodes_ends(imports: Imports) -> None:
    conversation = forked()
    conversation["mapping"]["root"]["parent"] = "followup"
    assert {passage.text for passage in imports.passages([conversation])[1:]} == {"Q", "First", "Second", "More"}


def test_parents_that_only_children_lists_tell_are_known(imports: Imports) -> None:
    conversation = forked()
    for each in conversation["mapping"].values():
        del each["parent"]
    session = imports.read([conversation])
    assert [text for _, [(_, text)] in shape(session)] == ["Q", "Second"]


@pytest.mark.parametrize("time", [None, 0, "soon"])
def test_a_message_without_a_time_has_that_of_the_one_before(imports: Imports, time: Any) -> None:
    messages = [says("user", "Q", create_time=1700000000.25), says("assistant", "A", create_time=time)]
    assert [passage.time for passage in imports.passages([thread(1, *messages)])[1:]] == [1700000000.25] * 2


def test_an_empty_view_gives_back_equal_nodes(imports: Imports) -> None:
    conversation = forked()
    session = imports.read([conversation])
    assert list(session.render(View())) == [conversation["mapping"][id] for id in ("question", "answer-2")]


def test_the_title_names_the_session(imports: Imports) -> None:
    file = imports.only([thread(3, says("user", "Hello there"))])
    assert (file.host, file.title) == ("chatgpt", "Thread 3")


def test_a_recorded_export_reads_with_every_run(shared_sessions: Path, imports: Imports) -> None:
    import_export(shared_sessions / "exports" / "chatgpt", imports.folder)
    [file] = imports.files()
    session = open_transcript(file.path)
    results = session.archive()
    assert len(results) == 11
    assert all(session.called(result) for result in results)
    assert session.text(results[2]) == "1/3"
    assert sum(message.prompt for message in session.messages) == 8
