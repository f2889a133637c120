"""A rollout that grows: read piece by piece it is the same as read at once."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from prune_mcp.sessions.history import History, Mark
from prune_mcp.sessions.model import SessionError
from prune_mcp.sessions.transcript import Transcript, open_transcript
from tests.sessions.codex.stories import phrases, stories, write
from tests.sessions.codex.telling import spoken
from tests.sessions.codex.writing import Rollout
from tests.sessions.history.told import history, passages
from tests.sessions.transcripts.reading import picture

pytestmark = pytest.mark.requirement("SES-CODEX", "SES-LIVE", "SES-DAMAGE", "HIS-FIND")

cuts = st.lists(st.integers(200, 4000), min_size=1, max_size=8)


def pieces(data: bytes, cuts: list[int]) -> list[bytes]:
    """The data in pieces of these sizes, the last one again and again."""
    found: list[bytes] = []
    at = 0
    while at < len(data):
        size = cuts[min(len(found), len(cuts) - 1)]
        found.append(data[at : at + size])
        at += size
    return found


@settings(max_examples=40)
@given(stories, cuts)
def test_a_rollout_read_as_it_grew_reads_the_same(
    tmp_path_factory: pytest.TempPathFactory, story: list[int], cuts: list[int]
) -> None:
    rollout = write(tmp_path_factory.mktemp("story") / "rollout-story.jsonl", story)
    data = rollout.path.read_bytes()
    header = data.index(b"\n") + 1
    rollout.path.write_bytes(data[:header])
    transcript = open_transcript(rollout.path)
    for piece in pieces(data[header:], cuts):
        rollout.write(piece)
        transcript.refresh()
    assert transcript.generation == 0
    assert picture_of(transcript) == picture_of(open_transcript(rollout.path))


def picture_of(conversation: Any) -> dict[str, Any]:
    """What two readings must agree on."""
    assert isinstance(conversation, Transcript)
    return picture(conversation)


def told_by(told: History) -> tuple[list[str], list[str]]:
    """What is settled and what is not, as values."""
    return list(map(repr, told.passages())), list(map(repr, told.rest()))


@settings(max_examples=40)
@given(stories, cuts)
def test_a_history_taken_up_where_it_ended_is_the_whole_one(
    tmp_path_factory: pytest.TempPathFactory, story: list[int], cuts: list[int]
) -> None:
    rollout = write(tmp_path_factory.mktemp("story") / "rollout-story.jsonl", story)
    data = rollout.path.read_bytes()
    rollout.path.write_bytes(b"")
    mark: Mark | None = None
    kept: list[str] = []
    for piece in pieces(data, cuts):
        rollout.write(piece)
        try:
            part = history(rollout.path, mark)
        except SessionError:
            continue
        settled, rest = told_by(part)
        kept = settled if part.fresh else kept + settled
        mark = part.mark() if part.mark().position else None
        whole = history(rollout.path)
        assert (kept, rest) == told_by(whole)
        assert [part.session, part.title, part.cwd, part.parent, part.skipped] == [
            whole.session, whole.title, whole.cwd, whole.parent, whole.skipped,
        ]  # fmt: skip


@settings(max_examples=40)
@given(stories)
def test_everything_is_told_once(tmp_path_factory: pytest.TempPathFactory, story: list[int]) -> None:
    rollout = write(tmp_path_factory.mktemp("story") / "rollout-story.jsonl", story)
    told = spoken(rollout.path)
    assert len(set(told)) == len(told)
    texts = [text for _, text in told]
    for phrase in phrases(story):
        assert [text for text in texts if text.startswith(phrase)], phrase
    places = [(each.entry, each.at) for each in passages(rollout.path)]
    assert len(set(places)) == len(places)


def test_a_grown_rollout_costs_its_tail(rollout: Rollout) -> None:
    for number in range(40):
        rollout.exchange(f"prompt {number}", f"answer {number}", size=2000)
    first = history(rollout.path)
    list(first.passages())
    assert first.mark().position > 0.9 * rollout.path.stat().st_size
    rollout.exchange("the newest", "last answer")
    again = history(rollout.path, first.mark())
    told = [*again.passages(), *again.rest()]
    assert not again.fresh
    assert [each.text for each in told if each.role == "user"] == ["prompt 39", "the newest"]


def test_a_rollback_of_what_was_told_before_tells_all_anew(rollout: Rollout) -> None:
    for number in range(4):
        rollout.exchange(f"prompt {number}", f"answer {number}")
    first = history(rollout.path)
    list(first.passages())
    rollout.event("thread_rolled_back", num_turns=3)
    rollout.exchange("another way", "last answer")
    again = history(rollout.path, first.mark())
    told = [*again.passages(), *again.rest()]
    assert again.fresh
    assert [(each.text, each.abandoned) for each in told if each.role == "user"] == [
        ("prompt 0", False), ("prompt 1", True), ("prompt 2", True), ("prompt 3", True), ("another way", False),
    ]  # fmt: skip


DAMAGE = [
    (b"null", "null"),
    (b"42", "number"),
    (b'"text"', "string"),
    (b"[1]", "list"),
    (b"\0" * 100, "nul"),
    (b'{"timestamp": "torn", "type": "response_item", "payl', "torn"),
]


@pytest.mark.parametrize(("damage", "kind"), DAMAGE)
def test_damage_costs_only_itself(rollout: Rollout, damage: bytes, kind: str) -> None:
    rollout.write(damage + b"\n")
    rollout.exchange("needle one", "One.")
    rollout.write(damage + b"\r\n")
    rollout.exchange("needle two", "Two.")
    assert spoken(rollout.path, "user") == [("user", "needle one"), ("user", "needle two")]
    assert history(rollout.path).skipped == {kind: 2}


def test_a_line_behind_a_torn_one_is_read(rollout: Rollout) -> None:
    rollout.write(b'{"timestamp": "2026", "type": "response_item", "payload": {"type": "mess')
    rollout.prompt("needle")
    rollout.says("Done.")
    assert spoken(rollout.path) == [("user", "needle"), ("assistant", "Done.")]
    assert history(rollout.path).skipped == {"torn": 1}


def test_other_encodings_and_ends_of_lines_are_read(codex_home: Path) -> None:
    rollout = Rollout(codex_home / "rollout-x.jsonl")
    data = b"\xef\xbb\xbf" + rollout.path.read_bytes().replace(b"\n", b"\r\n")
    rollout.path.write_bytes(data)
    text = '{"timestamp":"","type":"response_item","payload":{"type":"message","role":"user","content":"%s"}}\r\n'
    rollout.write((text % "before \u2028 needle \\ud83d").encode())
    rollout.write((text % "bad X needle").encode().replace(b"X", b"\xff"))
    assert spoken(rollout.path) == [("user", "before \u2028 needle \ufffd"), ("user", "bad \ufffd needle")]


def test_a_damaged_header_costs_only_what_it_tells(codex_home: Path) -> None:
    rollout = Rollout(
        codex_home / "sessions" / "rollout-2026-01-02T03-04-05-019fc8be-3658-7ca3-9e29-00000000000c.jsonl"
    )
    rollout.exchange("needle", "Done.")
    rollout.path.write_bytes(b'{"timestamp": "torn' + rollout.path.read_bytes()[40:])
    told = history(rollout.path)
    assert (told.session, told.title) == ("019fc8be-3658-7ca3-9e29-00000000000c", "needle")


def test_a_line_nested_too_deeply_costs_only_itself(rollout: Rollout) -> None:
    deep = "[" * 900 + "]" * 900
    rollout.prompt("needle")
    rollout.write(b'{"type":"response_item","payload":{"type":"future","x":%s}}\n' % deep.encode())
    rollout.says("Done.")
    assert spoken(rollout.path)[:: len(spoken(rollout.path)) - 1] == [("user", "needle"), ("assistant", "Done.")]
