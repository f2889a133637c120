"""Claude Code's entries and blocks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from prune_mcp.sessions.model import SessionError
from prune_mcp.sessions.transcript import open_transcript
from tests.sessions.transcripts.reading import outputs, prompts, said
from tests.sessions.transcripts.writing import SESSION, ClaudeFile, image, text, thinking, tool_use

pytestmark = pytest.mark.requirement("SES-CLAUDE")


def test_every_kind_of_block_is_known(claude: ClaudeFile) -> None:
    claude.prompt(["bare words", text("words"), image()])
    claude.says(
        thinking("hm"), {"type": "redacted_thinking", "data": "x"}, "Reading.", tool_use("t1", "Read", path="é"),
        {"type": "server_tool_use", "id": "s1", "name": "web_search", "input": {}},
    )  # fmt: skip
    claude.result("t1", [text("one"), image(), {"type": "tool_reference", "tool_name": "X"}, text("two")])
    transcript = open_transcript(claude.path)

    user, assistant, answer = transcript.messages
    assert [block.kind for block in user.blocks] == ["text", "text", "image"]
    assert [block.kind for block in assistant.blocks] == ["thinking", "thinking", "text", "call", "other"]
    assert [block.signed for block in assistant.blocks] == [True, True, False, False, False]
    call = assistant.calls[0]
    assert transcript.text(call) == '{"path":"é"}'
    assert (call.chars, call.size) == (len('Read{"path":"é"}'), len('Read{"path":"é"}'.encode()))
    assert transcript.arguments(call) == {"path": "é"}
    result = answer.results[0]
    assert transcript.text(result) == 'one\n{"type":"tool_reference","tool_name":"X"}\ntwo'
    assert (result.tool, result.images, result.call_id) == ("Read", 1, "t1")
    assert transcript.images(result) == transcript.images(user.blocks[2]) == [("image/png", "aGk=")]
    assert transcript.images(call) == []


def test_only_what_was_asked_opens_an_exchange(claude: ClaudeFile) -> None:
    claude.prompt("first")
    claude.prompt("skill body", isMeta=True)
    claude.prompt("<local-command-stdout>ok</local-command-stdout>")
    claude.prompt("<bash-input>ls</bash-input>")
    claude.prompt("<task-notification>done</task-notification>")
    claude.prompt("[Request interrupted by user]")
    claude.prompt("<system-reminder>only this</system-reminder>")
    claude.prompt("<system-reminder>not yours</system-reminder>\nreal words")
    claude.prompt([text("<ide_opened_file>a.py</ide_opened_file>"), text("fix a.py")])
    claude.prompt([image()])
    claude.prompt([{"type": "tool_result", "tool_use_id": "t", "content": "x"}, text("and words")])
    claude.prompt("<b>bold</b> is a tag of mine")
    transcript = open_transcript(claude.path)

    assert [message.prompt for message in transcript.messages] == [
        True, False, False, False, False, False, False, True, True, True, False, True,
    ]  # fmt: skip


def test_a_slash_command_that_never_reached_the_model_is_no_prompt(claude: ClaudeFile) -> None:
    local = (
        "<command-name>/model</command-name><command-message>model</command-message><command-args></command-args>"
    )
    claude.prompt(local)
    claude.prompt("<local-command-stdout>Set model</local-command-stdout>")
    asked = "<command-message>review</command-message><command-name>/review</command-name>"
    claude.prompt(asked + "<command-args>42</command-args>")
    claude.prompt("Review pull request 42 with care.", isMeta=True)
    transcript = open_transcript(claude.path)

    assert [message.prompt for message in transcript.messages] == [False, False, True, False]
    assert transcript.title == "/model"


@pytest.mark.parametrize(
    ("attachment", "words", "prompt"),
    [
        ({"type": "queued_command", "prompt": "stop that"}, "stop that", True),
        ({"type": "queued_command", "prompt": [text("and this")]}, "and this", True),
        ({"type": "queued_command", "prompt": "internal", "isMeta": True}, "internal", False),
        ({"type": "file", "content": {"type": "text", "file": {"content": "x = 1"}}}, "x = 1", False),
        ({"type": "hook_additional_context", "content": ["one", "two"]}, "one\ntwo", False),
    ],
)
def test_attachments_that_the_model_sees_are_messages(
    claude: ClaudeFile, attachment: dict[str, Any], words: str, prompt: bool
) -> None:
    claude.prompt("first")
    claude.entry("attachment", attachment=attachment)
    transcript = open_transcript(claude.path)

    assert said(transcript)[1] == ("user", [words])
    assert transcript.messages[1].prompt is prompt


def test_entries_without_words_only_link_others(claude: ClaudeFile) -> None:
    claude.prompt("first")
    claude.entry("attachment", attachment={"type": "auto_mode"})
    claude.entry("progress", data={"type": "hook_progress"})
    claude.entry("system", subtype="turn_duration", durationMs=3)
    claude.entry("some_future_type", anything=[1])
    claude.line({"type": "file-history-snapshot", "messageId": "m", "snapshot": {}})
    claude.line({"type": "queue-operation", "operation": "enqueue", "content": "first", "sessionId": SESSION})
    claude.says("answer")
    transcript = open_transcript(claude.path)

    assert said(transcript) == [("user", ["first"]), ("assistant", ["answer"])]
    assert transcript.skipped == {}


def test_failures_of_the_api_are_shown_to_the_person_and_not_to_the_model(claude: ClaudeFile) -> None:
    claude.prompt("first")
    claude.says("API Error: 529 overloaded", isApiErrorMessage=True)
    claude.entry("system", subtype="api_error", error={"status": 529})
    claude.says("answer")
    claude.entry("system", subtype="local_command", content="<local-command-stdout>x</local-command-stdout>")
    transcript = open_transcript(claude.path)

    assert [role for role, _ in said(transcript)] == ["user", "assistant", "user"]
    assert [transcript.text(fragment.blocks[0]) for fragment in transcript.fragments()][
        1
    ] == "API Error: 529 overloaded"


def test_results_are_archived_from_every_branch_and_before_every_compaction(claude: ClaudeFile) -> None:
    start = claude.prompt("first")
    claude.turn("t1", "left behind")
    claude.prompt("again", parent=start)
    claude.turn("t2", "compacted away")
    claude.prompt("sub", parent=None, isSidechain=True)
    claude.says(tool_use("s1", "Grep"), isSidechain=True)
    claude.result("s1", "of a subagent", isSidechain=True)
    claude.tip = f"{6:08x}-0000-4000-8000-000000000000"
    claude.compact()
    claude.turn("t3", "Exit code 1\nboom", "Bash")
    claude.says(tool_use("t4", "Read"))
    claude.result("t4", "Exit code 1\nboom", is_error=True)
    transcript = open_transcript(claude.path)

    assert outputs(transcript) == ["left behind", "compacted away", "of a subagent"] + ["Exit code 1\nboom"] * 2
    assert [block.tool for block in transcript.archive()] == ["Bash", "Bash", "Grep", "Bash", "Read"]
    assert [block.error for block in transcript.archive()] == [False, False, False, False, True]
    assert [block.call_id for block in transcript.archive(3)] == ["t3", "t4"]
    ids = [transcript.entries[block.place.entry].id for block in transcript.archive()]
    assert len(set(ids)) == 5


def test_a_result_is_named_by_its_call_even_when_that_comes_later(claude: ClaudeFile) -> None:
    claude.prompt()
    claude.result("t1", "early")
    claude.result("t2", "never called")
    claude.says(tool_use("t1", "Read"))
    transcript = open_transcript(claude.path)

    assert [block.tool for block in transcript.archive()] == ["Read", ""]


def test_a_reused_call_id_names_each_result_by_the_call_before_it(claude: ClaudeFile) -> None:
    claude.prompt()
    claude.turn("call_1", "a", "Read")
    claude.turn("call_1", "b", "Grep")
    transcript = open_transcript(claude.path)

    assert [(block.tool, transcript.text(block)) for block in transcript.archive()] == [
        ("Read", "a"),
        ("Grep", "b"),
    ]


@pytest.mark.parametrize(
    ("lines", "title"),
    [
        ([], "first"),
        ([{"type": "ai-title", "aiTitle": "Generated"}], "Generated"),
        ([{"type": "ai-title", "aiTitle": "Generated"}, {"type": "summary", "summary": "Other", "leafUuid": "x"}],
         "Generated"),
        ([{"type": "summary", "summary": "Own", "leafUuid": "00000001-0000-4000-8000-000000000000"}], "Own"),
        ([{"type": "custom-title", "customTitle": "Old"}, {"type": "custom-title", "customTitle": "Mine"},
          {"type": "ai-title", "aiTitle": "Generated"}], "Mine"),
    ],
)  # fmt: skip
def test_the_title_is_the_one_given_else_the_first_prompt(
    claude: ClaudeFile, lines: list[dict[str, str]], title: str
) -> None:
    claude.prompt("first")
    for line in lines:
        claude.line(line)
    assert open_transcript(claude.path).title == title


@pytest.mark.parametrize(
    "place",
    ["agent-a1.jsonl", f"{SESSION}/subagents/agent-a1.jsonl", f"{SESSION}/subagents/deep/agent-a1.jsonl"],
)
def test_a_subagents_file_is_a_session_of_its_own(tmp_path: Path, place: str) -> None:
    file = ClaudeFile(tmp_path / place)
    file.prompt("look around", isSidechain=True, agentId="a1")
    file.says("Found it.", isSidechain=True, agentId="a1")
    transcript = open_transcript(file.path)

    assert transcript.session == f"{SESSION}/agent-a1"
    assert said(transcript) == [("user", ["look around"]), ("assistant", ["Found it."])]
    assert prompts(transcript) == ["look around"]
    assert transcript.sidechain == set()
    assert transcript.cwd == "/home/user/app"


def test_inline_subagents_are_not_in_the_parents_context(claude: ClaudeFile) -> None:
    claude.prompt("Warmup", parent=None, isSidechain=True)
    claude.says("ready", isSidechain=True)
    claude.prompt("first", parent=None)
    claude.says("answer")
    transcript = open_transcript(claude.path)

    assert said(transcript) == [("user", ["first"]), ("assistant", ["answer"])]
    assert transcript.sidechain == {0, 1}
    assert transcript.title == "first"


def test_a_file_of_notes_only_is_a_session_without_messages(claude: ClaudeFile) -> None:
    claude.line({"type": "summary", "summary": "Something else", "leafUuid": "x"})
    transcript = open_transcript(claude.path)

    assert (list(transcript.messages), transcript.session, transcript.title) == ([], SESSION, "")


def test_messages_without_uuid_are_read_in_their_order(tmp_path: Path) -> None:
    file = ClaudeFile(tmp_path / "other.jsonl")
    for role, words in (("user", "ask"), ("assistant", "tell"), ("user", "thanks")):
        file.line({"type": role, "sessionId": "s1", "message": {"role": role, "content": words}})
    transcript = open_transcript(file.path)

    assert said(transcript) == [("user", ["ask"]), ("assistant", ["tell"]), ("user", ["thanks"])]
    assert len({entry.id for entry in transcript.entries}) == 3
    assert transcript.session == "s1"


def test_integers_over_64_bits_stay_exact(claude: ClaudeFile) -> None:
    big = 123456789012345678901234567890
    claude.prompt()
    claude.says(tool_use("t1", "Id", id=big, nested=[{"n": -(2**63) - 1}], half=0.5))
    transcript = open_transcript(claude.path)
    call = transcript.messages[1].calls[0]

    assert transcript.arguments(call) == {"id": big, "nested": [{"n": -(2**63) - 1}], "half": 0.5}
    assert str(big) in transcript.text(call)
    assert call.chars == len(call.tool) + len(transcript.text(call))
    assert transcript.raw(1)["message"]["content"][0]["input"]["id"] == big


def test_what_is_no_session_is_refused_in_one_sentence(tmp_path: Path) -> None:
    (tmp_path / "empty.jsonl").touch()
    (tmp_path / "notes.txt").write_text("hello\nworld\n")
    (tmp_path / "list.json").write_text('[{"role": "user", "content": "hi"}]')
    (tmp_path / "binary.jsonl").write_bytes(bytes(range(256)) * 100)
    for name, words in {
        "empty.jsonl": "is empty",
        "notes.txt": "is no session",
        "list.json": "is no session",
        "binary.jsonl": "is no session",
        "gone.jsonl": "There is no file",
        ".": "is a folder",
    }.items():
        with pytest.raises(SessionError, match=words) as caught:
            open_transcript(tmp_path / name)
        assert "name" in str(caught.value)
        assert str(tmp_path) in str(caught.value)
