"""The record after a compaction: which inputs stand in it, in how much room, and where it ends."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prune_mcp.engine.answers import EngineError
from prune_mcp.engine.record import SessionRecord, session_record
from prune_mcp.pruning.record import Input, Record, record
from tests.sessions.codex.writing import Rollout, rollout_path
from tests.sessions.gemini.writing import GeminiFile
from tests.sessions.gemini.writing import asks as gemini_asks
from tests.sessions.gemini.writing import header as gemini_header
from tests.sessions.gemini.writing import says as gemini_says
from tests.sessions.opencode.writing import Database
from tests.sessions.opencode.writing import asks as opencode_asks
from tests.sessions.opencode.writing import says as opencode_says
from tests.sessions.transcripts.writing import ClaudeFile, PiFile, text, tool_call, tool_use

HEAD = "What the person wrote:"
REFUSED = (
    "The user doesn't want to proceed with this tool use. The tool use was rejected (eg. if it was a file edit, "
    "the new_string was NOT written to the file). To tell you how to proceed, the user said:\nUse the old parser."
)


def asks(*texts: str) -> list[Input]:
    return [Input("ask", f"e{number}@s", said) for number, said in enumerate(texts, 1)]


def texts_in(told: Record) -> list[str]:
    """The inputs as who reads the text finds them: each has its length in front."""
    found = []
    at = len(HEAD) + 1
    while match := re.compile(r"--- (?:ask|answer) .*chars=(\d+)\n").match(told.text, at):
        found.append(told.text[match.end() : match.end() + int(match[1])])
        at = match.end() + int(match[1]) + 1
    return found


@pytest.mark.requirement("COL-RECORD")
def test_all_inputs_stand_in_it_word_for_word_and_in_order_while_there_is_room() -> None:
    said = ["First ask.", "--- ask e9@s chars=3\nfoo", "Third\n\nwith blank lines\n", "\ud83d odd \x00 text"]
    told = record(asks(*said), HEAD)
    assert texts_in(told) == said
    assert told.omitted == []
    assert told.text.startswith(f"{HEAD}\n--- ask e1@s chars=10\nFirst ask.\n--- ask e2@s chars=24\n--- ask e9@s")


@pytest.mark.requirement("COL-RECORD")
def test_the_first_ask_the_latest_ask_and_the_latest_input_always_stand_in_it_and_the_rest_newest_first() -> None:
    inputs = [*asks(*(f"{number} " + "x" * 3000 for number in range(12))), Input("answer", "a@s", "yes")]
    told = record(inputs, HEAD)
    kept = [int(said.split()[0]) for said in texts_in(told)[:-1]]
    assert kept == [0, 7, 8, 9, 10, 11]
    assert texts_in(told)[-1] == "yes"
    assert [each.ref for each in told.omitted] == [f"e{number}@s" for number in range(2, 8)]
    assert len(told.text) <= 20_000
    assert told.text.endswith(
        "--- left out: 6 inputs (18,012 characters), which history_search and history_read bring back"
    )


@pytest.mark.requirement("COL-RECORD")
def test_an_input_without_room_does_not_keep_older_short_ones_out() -> None:
    told = record(asks("first", "short", "y" * 30_000, "latest"), HEAD)
    assert texts_in(told) == ["first", "short", "latest"]


@pytest.mark.requirement("COL-RECORD")
def test_inputs_that_must_stand_are_cut_in_the_middle_where_they_are_too_long() -> None:
    told = record(asks("a" * 25_000 + "END", "short", "b" * 25_000 + "END"), HEAD)
    assert len(told.text) <= 20_000
    assert [each.input.ref for each in told.shown] == ["e1@s", "e2@s", "e3@s"]
    for each, letter in ((told.shown[0], "a"), (told.shown[2], "b")):
        begin, end = each.text.split("\n[... ")
        assert set(begin) == {letter}
        assert end.endswith("END")
        assert (
            f"{each.missing:,} characters left out: history_read {each.input.ref} offset={len(begin)} ...]" in end
        )
        assert len(each.input.text) - each.missing == len(begin) + len(end.partition("...]\n")[2])


@pytest.mark.requirement("COL-RECORD")
@given(
    st.lists(st.tuples(st.sampled_from(["ask", "answer"]), st.integers(0, 9000)), max_size=12),
    st.integers(600, 9000),
)
def test_it_is_never_longer_than_its_room_and_shows_what_must_stand(
    sizes: list[tuple[str, int]], limit: int
) -> None:
    inputs = [
        Input("ask" if kind == "ask" else "answer", f"e{number}@s", "x" * size)
        for number, (kind, size) in enumerate(sizes)
    ]
    told = record(inputs, HEAD, limit)
    assert len(told.text) <= limit
    shown = {each.input.ref for each in told.shown}
    wanted = [each.ref for each in inputs if each.kind == "ask"]
    assert {*wanted[:1], *wanted[-1:], *(each.ref for each in inputs[-1:])} <= shown
    assert shown | {each.ref for each in told.omitted} == {each.ref for each in inputs}
    assert len(shown) + len(told.omitted) == len(inputs)


def kinds(told: SessionRecord) -> list[tuple[str, str]]:
    return [(each.input.kind, each.text) for each in told.record.shown]


@pytest.mark.requirement("COL-RECORD", "SES-READONLY")
def test_claude_code(session: ClaudeFile) -> None:
    session.prompt("Build the parser.")
    session.says("Which one?", tool_use("q1", "AskUserQuestion", questions=[]))
    session.result("q1", 'The user answered: "Which?"="The small one"')
    session.says(tool_use("c1", "Edit", file_path="a.py"))
    session.result("c1", REFUSED, is_error=True)
    session.turn("c2", "no words of the person")
    before = session.tip
    session.prompt("A wrong turn, taken back.")
    session.says("Hm.")
    session.entry(
        "user", before, message={"role": "user", "content": "<system-reminder>x</system-reminder>Go on."}
    )
    session.says("Yes.")
    session.compact()
    session.prompt("Now the tests.")
    session.says("Right.")
    raw = session.path.read_bytes()
    first = session_record(session.path)
    assert (first.number, first.compactions, first.host) == (1, 1, "claude-code")
    assert kinds(first) == [
        ("ask", "Build the parser."),
        ("answer", 'The user answered: "Which?"="The small one"'),
        ("answer", "Use the old parser."),
        ("ask", "Go on."),
    ]
    assert first.record.shown[0].input.ref == "00000001@5e551014"
    assert first.record.shown[0].input.time == "2026-01-01T00:00Z"
    session.compact()
    session.prompt("More.")
    latest = session_record(session.path)
    assert (latest.number, latest.compactions) == (2, 2)
    assert kinds(latest) == [*kinds(first), ("ask", "Now the tests.")]
    assert kinds(session_record(session.path, 1)) == kinds(first)
    assert session.path.read_bytes().startswith(raw)


@pytest.mark.requirement("COL-RECORD")
def test_pi_whose_other_summaries_are_no_compactions(pi_session: PiFile) -> None:
    pi_session.prompt("First.")
    pi_session.says(tool_call("q", "ask", question="Which?"), stop="toolUse")
    pi_session.result("q", "The red one", "ask")
    pi_session.entry("branch_summary", summary="Tried A.", fromId="root")
    kept = pi_session.prompt("Second.")
    pi_session.says("Well.")
    pi_session.entry("compaction", summary="So far.", firstKeptEntryId=kept, tokensBefore=5)
    pi_session.prompt("Third.")
    told = session_record(pi_session.path)
    assert (told.number, told.compactions) == (1, 1)
    assert kinds(told) == [("ask", "First."), ("answer", "The red one"), ("ask", "Second.")]


@pytest.mark.requirement("COL-RECORD")
def test_codex(tmp_path: Path) -> None:
    rollout = Rollout(rollout_path(tmp_path))
    rollout.turn()
    rollout.prompt("<environment_context>x</environment_context>")
    rollout.prompt("First.")
    rollout.call("q", "request_user_input", questions=[])
    rollout.output("q", '{"answers":{"q1":{"answers":["Red"]}}}')
    rollout.says("Done.")
    rollout.compacted("A summary.", "First.")
    rollout.turn()
    rollout.prompt("Second.")
    told = session_record(rollout.path)
    assert (told.number, told.compactions) == (1, 1)
    assert kinds(told) == [("ask", "First."), ("answer", '{"answers":{"q1":{"answers":["Red"]}}}')]


@pytest.mark.requirement("COL-RECORD")
def test_gemini(tmp_path: Path) -> None:
    snapshot = gemini_asks(9, [{"text": "<state_snapshot>so far</state_snapshot>"}])
    path = GeminiFile(tmp_path).write(
        [
            gemini_header(),
            gemini_asks(1, "First."),
            gemini_says(2, "Well."),
            {"$set": {"messages": [snapshot, gemini_says(10, "Got it.")]}},
            gemini_asks(11, "Second."),
        ]
    )
    told = session_record(path)
    assert (told.number, told.compactions, kinds(told)) == (1, 1, [("ask", "First.")])


@pytest.mark.requirement("COL-RECORD")
def test_opencode(tmp_path: Path) -> None:
    database = Database(tmp_path)
    path = database.session(
        "ses_1",
        opencode_asks(1, "First."),
        opencode_says(2, "Well."),
        opencode_asks(3, {"type": "compaction", "auto": True}),
        opencode_says(4, "So far.", to=3, summary=True),
        opencode_asks(5, "Second."),
    )
    told = session_record(path)
    database.close()
    assert (told.number, told.compactions, kinds(told)) == (1, 1, [("ask", "First.")])


@pytest.mark.requirement("COL-RECORD")
def test_before_any_compaction_the_record_is_of_all_there_is(session: ClaudeFile) -> None:
    session.prompt([text("First."), text("And this.")])
    session.says("Yes.")
    told = session_record(session.path)
    assert (told.number, told.compactions, told.entry) == (0, 0, "")
    assert kinds(told) == [("ask", "First.\nAnd this.")]
    assert "so far (no compaction yet), word for word:" in told.record.text


@pytest.mark.requirement("COL-RECORD")
def test_a_compaction_that_is_not_there_is_named(session: ClaudeFile) -> None:
    session.prompt("First.")
    with pytest.raises(EngineError, match=r"at=1: session .* has 0 compactions"):
        session_record(session.path, 1)
    session.compact()
    with pytest.raises(EngineError, match=r"at=2: session .* has 1 compaction, the first is 1"):
        session_record(session.path, 2)
