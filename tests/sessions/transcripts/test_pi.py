"""pi's sessions, versions 1 to 3."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from prune_mcp.sessions.transcript import open_transcript
from prune_mcp.sessions.view import View
from tests.sessions.transcripts.reading import outputs, prompts, said
from tests.sessions.transcripts.writing import SESSION, PiFile, text, tool_call

pytestmark = pytest.mark.requirement("SES-PI")


def test_a_session_reads_as_pi_sends_it(pi: PiFile) -> None:
    pi.message("system", "", sections={"preamble": "You help.", "tools": "Use them."})
    pi.prompt("fix it")
    thought = {"type": "thinking", "thinking": "hm", "thinkingSignature": "s"}
    pi.says(thought, "Reading.", tool_call("c1", "read", path="é"))
    picture = {"type": "image", "data": "aGk=", "mimeType": "image/png"}
    pi.result("c1", [text("one"), picture, text("two")], tool="read", error=True)
    pi.message("bashExecution", None, command="git status", output="clean", exitCode=0)
    pi.message("bashExecution", None, command="secret", output="x", exitCode=0, excludeFromContext=True)
    pi.entry("custom_message", customType="x", content="note for the model", display=False)
    pi.entry("custom", customType="state", data={"n": 1})
    pi.message("someFutureRole", "unknown")
    pi.says("Done.")
    transcript = open_transcript(pi.path)

    assert said(transcript) == [
        ("system", ["You help.\n\nUse them."]),
        ("user", ["fix it"]),
        ("assistant", ["thinking hm", "Reading.", "call c1"]),
        ("user", ["result c1"]),
        ("user", ["Ran `git status`\n```\nclean\n```"]),
        ("user", ["note for the model"]),
        ("assistant", ["Done."]),
    ]
    assert prompts(transcript) == ["fix it"]
    call, result = transcript.messages[2].calls[0], transcript.archive()[0]
    assert transcript.arguments(call) == {"path": "é"}
    assert call.chars == len('read{"path":"é"}')
    assert transcript.text(result) == "one\ntwo"
    assert (result.tool, result.error, result.images, result.place.at) == ("read", True, 1, -1)
    assert transcript.images(result) == [("image/png", "aGk=")]
    assert [block.signed for block in transcript.messages[2].blocks] == [True, False, False]
    assert (transcript.session, transcript.cwd, transcript.title) == (SESSION, "/home/user/app", "fix it")


def test_the_leaf_is_the_last_entry_of_any_type(pi: PiFile) -> None:
    pi.prompt("first")
    kept = pi.says("answer")
    pi.prompt("wrong turn")
    pi.turn("c1", "left behind")
    pi.entry("branch_summary", parent=kept, fromId="x", summary="Tried a wrong turn.")
    transcript = open_transcript(pi.path)
    assert said(transcript) == [("user", ["first"]), ("assistant", ["answer"]), ("user", ["Tried a wrong turn."])]
    assert (transcript.messages[2].summary, transcript.messages[2].prompt) == (True, False)
    assert transcript.abandoned == {2, 3, 4}
    assert outputs(transcript) == ["left behind"]

    pi.entry("label", parent=kept, targetId=kept, label="here")
    transcript.refresh()
    assert [words for _, [words] in said(transcript)] == ["first", "answer"]
    pi.prompt("right turn")
    transcript.refresh()
    assert [words for _, [words] in said(transcript)] == ["first", "answer", "right turn"]
    pi.entry("session_info", name="Named")
    transcript.refresh()
    assert transcript.title == "Named"


def test_a_second_root_is_a_branch_of_its_own(pi: PiFile) -> None:
    pi.prompt("first")
    pi.prompt("from the start", parent=None)
    assert said(open_transcript(pi.path)) == [("user", ["from the start"])]


@pytest.mark.requirement("SES-COMPACT")
def test_the_latest_compaction_comes_first_then_what_it_kept(pi: PiFile) -> None:
    pi.message("system", "rules")
    pi.prompt("compacted away")
    pi.entry("compaction", summary="older summary", firstKeptEntryId="nothing", tokensBefore=1)
    kept = pi.prompt("kept")
    pi.message("system", "more rules")
    pi.turn("c1", "kept output")
    pi.entry("compaction", summary="the summary", firstKeptEntryId=kept, tokensBefore=1)
    pi.prompt("go on")
    transcript = open_transcript(pi.path)

    assert [words for _, words in said(transcript)] == [
        ["the summary"], ["kept"], ["call c1"], ["result c1"], ["go on"],
    ]  # fmt: skip
    assert [(message.summary, message.prompt) for message in transcript.messages][:2] == [
        (True, True),
        (False, True),
    ]
    assert transcript.abandoned == set()


@pytest.mark.parametrize("first", ["itself", "unknown", "silent"])
def test_a_compaction_that_names_no_message_keeps_what_pi_would(pi: PiFile, first: str) -> None:
    pi.prompt("compacted away")
    silent = pi.entry("model_change", provider="p", modelId="m")
    pi.prompt("after the change")
    own = f"{pi.count + 1:08x}"
    named = {"itself": own, "unknown": "deadbeef", "silent": silent}[first]
    pi.entry("compaction", summary="the summary", firstKeptEntryId=named, tokensBefore=1)
    kept = [["after the change"]] if first == "silent" else []
    assert [words for _, words in said(open_transcript(pi.path))] == [["the summary"], *kept]


def test_context_edits_replace_or_leave_out_their_target(pi: PiFile) -> None:
    asked = pi.prompt("long prompt")
    pi.says(tool_call("c1"), tool_call("c2"), stop="toolUse")
    first = pi.result("c1", "long output", tool="read", error=True)
    pi.result("c2", "other")
    pi.entry("context_edit", targetId=first, replacement={"content": "[older stub]"})
    pi.entry("context_edit", targetId=asked, replacement=None)
    pi.entry("context_edit", targetId="deadbeef", replacement=None)
    before = pi.tip
    pi.entry("context_edit", targetId=first, replacement={"content": [text("[stub]")]})
    transcript = open_transcript(pi.path)

    assert [words for _, words in said(transcript)] == [["call c1", "call c2"], ["result c1"], ["result c2"]]
    result = transcript.messages[1].results[0]
    assert transcript.text(result) == "[stub]"
    assert (result.tool, result.error) == ("read", True)
    assert result in transcript.archive()
    assert outputs(transcript) == ["long output", "other", "[older stub]", "[stub]"]

    pi.prompt("go on", parent=before)
    transcript.refresh()
    assert transcript.text(transcript.messages[1].results[0]) == "[older stub]"


def test_responses_that_failed_are_not_sent(pi: PiFile) -> None:
    pi.prompt("go")
    pi.says("half an ans", tool_call("c1"), stop="aborted")
    pi.says(stop="error")
    pi.prompt("again")
    pi.says("answer", stop="length")
    transcript = open_transcript(pi.path)

    assert said(transcript) == [("user", ["go"]), ("user", ["again"]), ("assistant", ["answer"])]
    assert transcript.messages[2].stop == "length"


def test_version_1_is_a_sequence_and_counts_its_lines(tmp_path: Path) -> None:
    file = PiFile(tmp_path / "old.jsonl", version=1)
    file.prompt("compacted away")
    file.entry("model_change", provider="p", modelId="m")
    file.prompt("kept")
    file.says(tool_call("c1"))
    file.result("c1", "kept output")
    file.write(b"torn line\n")
    file.entry("compaction", summary="the summary", firstKeptEntryIndex=3, tokensBefore=1)
    file.prompt("go on")
    before = file.path.read_bytes()
    transcript = open_transcript(file.path)

    assert [words for _, words in said(transcript)] == [
        ["the summary"], ["kept"], ["call c1"], ["result c1"], ["go on"],
    ]  # fmt: skip
    assert [entry.id for entry in transcript.entries] == [
        "line-1",
        "line-3",
        "line-4",
        "line-5",
        "line-6",
        "line-7",
    ]
    assert file.path.read_bytes() == before


def test_version_2_names_custom_messages_as_hooks(tmp_path: Path) -> None:
    file = PiFile(tmp_path / "v2.jsonl", version=2)
    file.prompt("go")
    file.message("hookMessage", "from a hook", customType="x", display=True)
    transcript = open_transcript(file.path)

    assert said(transcript) == [("user", ["go"]), ("user", ["from a hook"])]
    assert [message.prompt for message in transcript.messages] == [True, False]


@pytest.mark.parametrize("content", [None, [], "", 7, {"a": 1}])
def test_content_that_is_missing_or_strange_costs_only_itself(pi: PiFile, content: object) -> None:
    pi.prompt("go")
    pi.message("assistant", content, stopReason="stop")
    pi.message("toolResult", content, toolCallId="c1", toolName="read", isError=False)
    pi.message("user", content)
    pi.entry("message", message=content)
    pi.says("Done.")
    transcript = open_transcript(pi.path)

    assert said(transcript)[0] == ("user", ["go"])
    assert said(transcript)[-1] == ("assistant", ["Done."])
    assert len(transcript.archive()) == 1
    assert json.dumps(list(transcript.render(View())))


def test_a_file_that_lost_its_header_or_begins_with_a_title_is_still_read(tmp_path: Path) -> None:
    file = PiFile(tmp_path / f"2026-01-01_{SESSION}.jsonl")
    file.prompt("go")
    header, message = file.path.read_bytes().splitlines()
    file.path.write_bytes(b'{"type":"title","title":"x"}\n' + header + b"\n" + message + b"\n")
    assert said(open_transcript(file.path)) == [("user", ["go"])]

    file.path.write_bytes(header[:20] + b"\n" + message + b"\n")
    transcript = open_transcript(file.path)
    assert said(transcript) == [("user", ["go"])]
    assert transcript.session == SESSION
