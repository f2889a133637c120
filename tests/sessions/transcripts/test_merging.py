"""Lines of one response become one message."""

from __future__ import annotations

import pytest

from prune_mcp.sessions.transcript import open_transcript
from prune_mcp.sessions.view import View
from tests.sessions.transcripts.reading import outputs, said
from tests.sessions.transcripts.writing import ClaudeFile, text, thinking, tool_use

pytestmark = pytest.mark.requirement("SES-MERGE")


def test_lines_with_one_message_id_are_one_message(claude: ClaudeFile) -> None:
    claude.prompt("go")
    first = claude.says(thinking("hm"), id="m1")
    claude.says("Reading.", id="m1")
    claude.says(tool_use("t1"), id="m1")
    claude.result("t1")
    claude.says(tool_use("t2"), id="m1")
    claude.result("t2")
    claude.says("Done.", id="m2")
    transcript = open_transcript(claude.path)

    assert said(transcript) == [
        ("user", ["go"]),
        ("assistant", ["thinking hm", "Reading.", "call t1", "call t2"]),
        ("user", ["result t1"]),
        ("user", ["result t2"]),
        ("assistant", ["Done."]),
    ]
    whole = transcript.messages[1]
    assert whole.id == first
    assert [block.place.entry for block in whole.blocks] == [1, 2, 3, 5]


def test_lines_without_a_message_id_stay_apart(claude: ClaudeFile) -> None:
    claude.prompt("go")
    for words in ("one", "two"):
        claude.entry("assistant", message={"role": "assistant", "content": [text(words)]})
    transcript = open_transcript(claude.path)

    assert [role for role, _ in said(transcript)] == ["user", "assistant", "assistant"]


def test_a_message_id_used_again_in_a_later_exchange_is_another_message(claude: ClaudeFile) -> None:
    for words in ("one", "two"):
        claude.prompt(words)
        claude.says(words, id="chatcmpl-same")
    transcript = open_transcript(claude.path)

    assert said(transcript) == [
        ("user", ["one"]), ("assistant", ["one"]), ("user", ["two"]), ("assistant", ["two"]),
    ]  # fmt: skip


def test_snapshots_of_a_streaming_response_count_once(claude: ClaudeFile) -> None:
    claude.prompt("go")
    claude.says(thinking("I should"), id="m1")
    claude.says(thinking("I should look"), id="m1")
    claude.says(thinking("I should look"), "The file", id="m1")
    claude.says(thinking("I should look"), "The file says", tool_use("t1"), id="m1")
    claude.says(tool_use("t1", cmd="ls"), id="m1")
    transcript = open_transcript(claude.path)

    assert said(transcript)[1] == ("assistant", ["thinking I should look", "The file says", "call t1"])
    assert transcript.arguments(transcript.messages[1].calls[0]) == {"cmd": "ls"}
    assert [raw["uuid"][:8] for raw in transcript.render(View())] == ["00000001", "00000005", "00000006"]


def test_blank_text_before_the_real_one_is_no_snapshot_of_it(claude: ClaudeFile) -> None:
    claude.prompt("go")
    claude.says("\n\n", id="m1")
    claude.says("\n\nReading.", id="m1")
    transcript = open_transcript(claude.path)

    assert said(transcript)[1] == ("assistant", ["\n\n", "\n\nReading."])


def test_a_text_that_repeats_an_earlier_one_after_a_call_stays(claude: ClaudeFile) -> None:
    claude.prompt("go")
    claude.says("Now", id="m1")
    claude.says(tool_use("t1"), id="m1")
    claude.says("Now the tests", id="m1")
    transcript = open_transcript(claude.path)

    assert said(transcript)[1] == ("assistant", ["Now", "call t1", "Now the tests"])


def test_repeated_uuids_count_once_and_the_last_copy_counts(claude: ClaudeFile) -> None:
    claude.prompt("go")
    claude.says(tool_use("t1"), id="m1")
    copied = claude.result("t1", "same")
    claude.says("Done.")
    claude.tip = f"{2:08x}-0000-4000-8000-000000000000"
    claude.result("t1", "same", uuid=copied, gitBranch="other")
    transcript = open_transcript(claude.path)

    assert [role for role, _ in said(transcript)] == ["user", "assistant", "user", "assistant"]
    assert outputs(transcript) == ["same"]
    assert transcript.raw(2)["gitBranch"] == "other"


def test_a_copy_that_says_something_else_replaces_the_first(claude: ClaudeFile) -> None:
    claude.prompt("go")
    claude.says(tool_use("t1"), id="m1")
    copied = claude.result("t1", "half of it")
    transcript = open_transcript(claude.path)
    claude.result("t1", "all of it", uuid=copied, parent=f"{2:08x}-0000-4000-8000-000000000000")
    transcript.refresh()

    assert outputs(transcript) == ["all of it"]
    assert said(transcript) == said(open_transcript(claude.path))
    assert transcript.generation == 1


def test_entries_with_one_uuid_that_are_no_copies_are_all_kept(claude: ClaudeFile) -> None:
    claude.prompt("go")
    claude.says(tool_use("t1"), tool_use("t2"), id="m1")
    claude.result("t1", "one", uuid="same")
    claude.result("t2", "two", uuid="same")
    transcript = open_transcript(claude.path)

    assert outputs(transcript) == ["one", "two"]
