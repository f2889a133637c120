"""What is left in the context after a compaction."""

from __future__ import annotations

import pytest

from prune_mcp.sessions.transcript import open_transcript
from tests.sessions.transcripts.reading import outputs, said
from tests.sessions.transcripts.writing import ClaudeFile

pytestmark = pytest.mark.requirement("SES-COMPACT")


def test_the_context_begins_with_the_latest_summary(claude: ClaudeFile) -> None:
    for number in (1, 2):
        claude.prompt(f"prompt {number}")
        claude.turn(f"t{number}", f"output {number}")
        claude.compact(f"summary {number}")
    claude.prompt("go on")
    transcript = open_transcript(claude.path)

    assert said(transcript) == [("user", ["summary 2"]), ("user", ["go on"])]
    assert [(message.summary, message.prompt) for message in transcript.messages] == [(True, True), (False, True)]
    assert outputs(transcript) == ["output 1", "output 2"]
    assert [transcript.text(fragment.blocks[0]) for fragment in transcript.fragments() if fragment.prompt] == [
        "prompt 1", "summary 1", "prompt 2", "summary 2", "go on",
    ]  # fmt: skip


def test_what_was_compacted_away_is_not_abandoned(claude: ClaudeFile) -> None:
    kept = claude.prompt("first")
    claude.says("left behind")
    claude.says("answer", parent=kept)
    claude.compact()
    claude.prompt("go on")
    transcript = open_transcript(claude.path)

    assert transcript.abandoned == {1}


def test_a_summary_without_a_boundary_begins_the_context_as_well(claude: ClaudeFile) -> None:
    claude.prompt("first")
    claude.says("answer")
    claude.prompt("what was said so far", isCompactSummary=True)
    claude.says("Understood.")
    transcript = open_transcript(claude.path)

    assert said(transcript) == [("user", ["what was said so far"]), ("assistant", ["Understood."])]
    assert transcript.abandoned == set()


@pytest.mark.parametrize("linked_to_kept", [False, True])
def test_entries_kept_whole_follow_the_summary(claude: ClaudeFile, linked_to_kept: bool) -> None:
    claude.prompt("compacted away")
    claude.says("this too")
    head = claude.prompt("kept prompt")
    claude.turn("t1", "kept output")
    tail = claude.tip
    summary = f"{claude.count + 2:08x}-0000-4000-8000-000000000000"
    claude.compact("the summary", preservedSegment={"headUuid": head, "anchorUuid": summary, "tailUuid": tail})
    assert claude.tip == summary
    transcript = open_transcript(claude.path)
    before = [["the summary"], ["kept prompt"], ["call t1"], ["result t1"]]
    assert [words for _, words in said(transcript)] == before

    claude.prompt("go on", parent=tail if linked_to_kept else summary)
    claude.says("Going on.")
    transcript.refresh()
    assert [words for _, words in said(transcript)] == [*before, ["go on"], ["Going on."]]
    assert said(open_transcript(claude.path)) == said(transcript)
    assert transcript.abandoned == set()


def test_a_kept_segment_that_is_not_there_is_left_out(claude: ClaudeFile) -> None:
    claude.prompt("first")
    claude.compact("the summary", preservedSegment={"headUuid": "x", "anchorUuid": "y", "tailUuid": "z"})
    transcript = open_transcript(claude.path)

    assert said(transcript) == [("user", ["the summary"])]
