"""The branch of the tree that the host would continue."""

from __future__ import annotations

import pytest

from prune_mcp.sessions.transcript import open_transcript
from tests.sessions.transcripts.reading import outputs, picture, said
from tests.sessions.transcripts.writing import ClaudeFile, tool_use

pytestmark = pytest.mark.requirement("SES-TREE")


def test_a_rewind_leaves_the_old_branch_readable_and_marked(claude: ClaudeFile) -> None:
    claude.prompt("first")
    kept = claude.says("answer")
    claude.prompt("wrong turn")
    claude.turn("t1", "found on the wrong turn")
    claude.prompt("right turn", parent=kept)
    claude.says("better")
    transcript = open_transcript(claude.path)

    assert [words for _, [words, *_] in said(transcript)] == ["first", "answer", "right turn", "better"]
    assert transcript.abandoned == {2, 3, 4}
    assert outputs(transcript) == ["found on the wrong turn"]
    assert [transcript.text(fragment.blocks[0]) for fragment in transcript.fragments()][2] == "wrong turn"


def test_a_response_written_anew_replaces_the_one_before(claude: ClaudeFile) -> None:
    asked = claude.prompt("first")
    claude.says("refused")
    claude.says("answered", parent=asked)
    transcript = open_transcript(claude.path)

    assert said(transcript) == [("user", ["first"]), ("assistant", ["answered"])]
    assert transcript.abandoned == {1}


def parallel_calls(claude: ClaudeFile) -> None:
    """Three calls of one response; each result hangs on its own call, and only the last leads on."""
    claude.prompt("go")
    calls = []
    for call in ("t1", "t2", "t3"):
        calls.append(claude.says(tool_use(call), id="m1"))
        claude.entry("progress", data={"type": "hook_progress"})
    for call, parent in zip(("t1", "t2", "t3"), calls, strict=True):
        claude.result(call, f"output of {call}", parent=parent)
        tip = claude.tip
        claude.entry("progress", data={"type": "hook_progress"})
    claude.says("Done.", parent=tip, id="m2")


def test_parallel_calls_are_no_rewind(claude: ClaudeFile) -> None:
    parallel_calls(claude)
    transcript = open_transcript(claude.path)

    assert said(transcript) == [
        ("user", ["go"]),
        ("assistant", ["call t1", "call t2", "call t3"]),
        ("user", ["result t1"]), ("user", ["result t2"]), ("user", ["result t3"]),
        ("assistant", ["Done."]),
    ]  # fmt: skip
    assert transcript.abandoned == set()


def test_parallel_calls_stay_on_the_branch_when_it_goes_on_from_any_of_them(claude: ClaudeFile) -> None:
    claude.prompt("go")
    first = claude.says(tool_use("t1"), id="m1")
    claude.says(tool_use("t2"), id="m1")
    claude.result("t2")
    early = claude.result("t1", parent=first)
    claude.entry("attachment", attachment={"type": "hook_additional_context", "content": "watch out"})
    claude.says("Done.", parent=early, id="m2")
    transcript = open_transcript(claude.path)

    assert [words for _, words in said(transcript)] == [
        ["go"], ["call t1", "call t2"], ["result t2"], ["result t1"], ["watch out"], ["Done."],
    ]  # fmt: skip


def test_parallel_calls_with_ids_used_before_are_all_on_the_branch(claude: ClaudeFile) -> None:
    for number in range(3):
        claude.prompt("go")
        calls = [claude.says(tool_use(call), id=f"m{number}") for call in ("call_1", "call_2")]
        for call, parent in zip(("call_1", "call_2"), calls, strict=True):
            claude.result(call, parent=parent)
    transcript = open_transcript(claude.path)

    assert [role for role, _ in said(transcript)] == ["user", "assistant", "user", "user"] * 3
    assert transcript.abandoned == set()


def test_parallel_calls_of_an_abandoned_branch_are_abandoned(claude: ClaudeFile) -> None:
    parallel_calls(claude)
    claude.prompt("from the start", parent=None)
    transcript = open_transcript(claude.path)

    assert said(transcript) == [("user", ["from the start"])]
    assert len(transcript.abandoned) == 8


def test_a_branch_goes_on_over_an_entry_that_is_damaged(claude: ClaudeFile) -> None:
    claude.prompt("first")
    claude.write(b'{"parentUuid":"00000001-0000-4000-8000-000000000000","uuid":"lost","type":"assi\n')
    claude.prompt("second", parent="lost")
    transcript = open_transcript(claude.path)

    assert said(transcript) == [("user", ["first"]), ("user", ["second"])]
    assert transcript.skipped == {"torn": 1}


def test_a_parent_that_comes_later_is_found(claude: ClaudeFile) -> None:
    claude.prompt("zero")
    claude.says("last", parent="late")
    claude.prompt("between", parent=f"{1:08x}-0000-4000-8000-000000000000", uuid="late")
    claude.says("end", parent=f"{2:08x}-0000-4000-8000-000000000000")
    transcript = open_transcript(claude.path)

    assert [words for _, [words] in said(transcript)] == ["zero", "between", "last", "end"]
    assert transcript.abandoned == set()


def test_parents_that_go_in_a_circle_end_the_branch(claude: ClaudeFile) -> None:
    claude.prompt("one", parent="b", uuid="a")
    claude.prompt("two", parent="a", uuid="b")
    transcript = open_transcript(claude.path)

    assert sorted(words for _, [words] in said(transcript)) == ["one", "two"]
    assert picture(transcript) == picture(open_transcript(claude.path))


def test_a_resumed_copy_is_followed_to_its_own_end(claude: ClaudeFile) -> None:
    claude.prompt("first", sessionId="older")
    claude.says("answer", sessionId="older")
    claude.prompt("resumed")
    transcript = open_transcript(claude.path)

    assert [words for _, [words] in said(transcript)] == ["first", "answer", "resumed"]
    assert transcript.session == claude.session
