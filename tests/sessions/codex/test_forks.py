"""Forks and subagents: what they repeat of their parent is told by it, and what is their own by them."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from prune_mcp.sessions.history import Mark
from prune_mcp.sessions.transcript import open_transcript
from prune_mcp.sessions.view import View
from tests.sessions.codex.telling import said, spoken
from tests.sessions.codex.writing import PARENT, SESSION, Rollout, message, rollout_path
from tests.sessions.history.told import history, passages
from tests.sessions.transcripts.reading import outputs

pytestmark = pytest.mark.requirement("SES-CODEX")


@pytest.fixture
def parent(codex_home: Path) -> Rollout:
    """A session of two turns."""
    written = Rollout(rollout_path(codex_home, PARENT, "sessions/2026/01/01"), PARENT)
    written.exchange("first needle", "One.")
    written.exchange("second needle", "Two.")
    return written


def fork(parent: Rollout, path: Path, lines: int | None = None, **meta: Any) -> Rollout:
    """A rollout that repeats its parent's lines, stamped anew, behind a header of its own."""
    child = Rollout(path, **({"forked_from_id": PARENT} | meta))
    for line in parent.lines()[:lines]:
        child.line(line["type"], line["payload"])
    return child


def test_a_fork_tells_what_is_new_and_its_context_is_whole(parent: Rollout, codex_home: Path) -> None:
    child = fork(parent, rollout_path(codex_home))
    child.exchange("third needle", "Three.")
    assert [said(child.path, words) for words in ("first needle", "second needle", "third needle")] == [
        [],
        [],
        ["user"],
    ]
    assert history(child.path).parent == PARENT
    conversation = open_transcript(child.path)
    assert len([message for message in conversation.messages if message.prompt]) == 3
    known = {entry.id for entry in open_transcript(parent.path).entries}
    assert known < {entry.id for entry in conversation.entries}, "repeated lines are the same entries"


def test_a_fork_tells_everything_where_its_parent_is_gone(parent: Rollout, codex_home: Path) -> None:
    child = fork(parent, rollout_path(codex_home))
    child.exchange("third needle", "Three.")
    parent.path.unlink()
    assert [said(child.path, words) for words in ("first needle", "second needle", "third needle")] == [
        ["user"]
    ] * 3


@pytest.mark.parametrize("place", ["archived", "packed"])
def test_a_parent_is_found_wherever_it_went(parent: Rollout, codex_home: Path, place: str) -> None:
    child = fork(parent, rollout_path(codex_home))
    child.exchange("third needle", "Three.")
    if place == "archived":
        (codex_home / "archived_sessions").mkdir()
        parent.path.rename(codex_home / "archived_sessions" / parent.path.name)
    else:
        parent.packed()
    assert said(child.path, "first needle") == []


def test_the_childs_first_turn_is_its_own_though_its_words_are_the_parents(
    parent: Rollout, codex_home: Path
) -> None:
    child = fork(parent, rollout_path(codex_home))
    child.exchange("second needle", "Two.", calls=0)
    assert spoken(child.path) == [("user", "second needle"), ("assistant", "Two.")]


def test_a_fork_from_the_middle_repeats_only_what_came_before(parent: Rollout, codex_home: Path) -> None:
    middle = next(at for at, line in enumerate(parent.lines()) if "second needle" in str(line)) - 2
    child = fork(parent, rollout_path(codex_home), middle)
    child.exchange("second needle", "Another way.", calls=0)
    assert spoken(child.path) == [("user", "second needle"), ("assistant", "Another way.")]


def test_words_between_the_parents_that_it_does_not_tell_are_told(parent: Rollout, codex_home: Path) -> None:
    child = fork(parent, rollout_path(codex_home), 4)
    child.prompt("needle of nobody")
    for line in parent.lines()[4:]:
        child.line(line["type"], line["payload"])
    child.exchange("third needle", "Three.")
    assert [said(child.path, words) for words in ("needle of nobody", "first needle")] == [["user"], []]


def test_a_subagent_that_repeats_its_parent_is_known_by_the_second_header(
    parent: Rollout, codex_home: Path
) -> None:
    source = {"subagent": {"thread_spawn": {"parent_thread_id": PARENT, "depth": 1}}}
    child = fork(parent, rollout_path(codex_home), forked_from_id=None, source=source)
    child.exchange("third needle", "Three.")
    assert spoken(child.path, "user") == [("user", "third needle")]
    assert (history(child.path).session, history(child.path).parent) == (SESSION, PARENT)


def test_a_subagent_that_repeats_nothing_tells_everything(parent: Rollout, codex_home: Path) -> None:
    child = Rollout(rollout_path(codex_home), source={"subagent": {"thread_spawn": {"parent_thread_id": PARENT}}})
    child.exchange("first needle", "One.")
    assert spoken(child.path, "user") == [("user", "first needle")]


def test_a_fork_whose_turns_have_no_ids_begins_with_the_first_new_words(codex_home: Path) -> None:
    parent = Rollout(rollout_path(codex_home, PARENT), PARENT)
    for words in ("first needle", "second needle"):
        parent.line("turn_context", {"cwd": "/work"})
        parent.prompt(words)
        parent.says("Done.")
    child = fork(parent, rollout_path(codex_home))
    child.line("turn_context", {"cwd": "/work"})
    child.prompt("third needle")
    child.prompt("first needle")
    assert spoken(child.path) == [("user", "third needle"), ("user", "first needle")]


def test_a_fork_of_a_fork_tells_what_neither_does(parent: Rollout, codex_home: Path) -> None:
    middle = "019fc8be-3658-7ca3-9e29-0000000000bb"
    child = fork(parent, rollout_path(codex_home, middle), session=middle)
    child.exchange("third needle", "Three.")
    grandchild = fork(child, rollout_path(codex_home), forked_from_id=middle)
    grandchild.exchange("fourth needle", "Four.")
    assert spoken(grandchild.path, "user") == [("user", "fourth needle")]
    child.path.unlink()
    assert spoken(grandchild.path, "user") == [("user", "third needle"), ("user", "fourth needle")]


def based(parent: Rollout, path: Path, lines: int, session: str = SESSION) -> Rollout:
    """A fork of today: it goes on from its parent's first lines without repeating them."""
    kept = parent.path.read_bytes().splitlines(keepends=True)[:lines]
    base = {"thread_id": parent.session, "end_byte_offset": len(b"".join(kept)), "end_ordinal_exclusive": lines}
    return Rollout(path, session, history_mode="paginated", forked_from_id=parent.session, history_base=base)


def test_a_fork_that_repeats_nothing_has_its_parents_context(parent: Rollout, codex_home: Path) -> None:
    lines = parent.lines()
    middle = next(at for at, line in enumerate(lines) if "second needle" in str(line)) - 2
    child = based(parent, rollout_path(codex_home), middle)
    child.exchange("third needle", "Three.")
    conversation = open_transcript(child.path)
    prompts = [conversation.text(message.blocks[0]) for message in conversation.messages if message.prompt]
    assert prompts == ["first needle", "third needle"]
    assert (
        outputs(conversation)
        == outputs(open_transcript(parent.path))[:1] + outputs(open_transcript(child.path))[1:]
    )
    assert conversation.title == "third needle"
    assert spoken(child.path, "user") == [("user", "third needle")]
    rendered = list(conversation.render(View()))
    assert rendered == [line for line in (lines[:middle] + child.lines()) if line["type"] == "response_item"]


def test_a_fork_that_goes_on_from_a_fork_that_goes_on_from_another(parent: Rollout, codex_home: Path) -> None:
    middle = "019fc8be-3658-7ca3-9e29-0000000000bb"
    child = based(parent, rollout_path(codex_home, middle), 9, middle)
    child.exchange("third needle", "Three.")
    grandchild = based(child, rollout_path(codex_home), len(child.lines()))
    grandchild.exchange("fourth needle", "Four.")
    parent.packed()
    conversation = open_transcript(grandchild.path)
    prompts = [conversation.text(message.blocks[0]) for message in conversation.messages if message.prompt]
    assert prompts == ["first needle", "third needle", "fourth needle"]
    ids = [entry.id for entry in conversation.entries]
    assert len(set(ids)) == len(ids)
    inherited = [entry.id for entry in open_transcript(child.path).entries]
    assert ids[: len(inherited)] == inherited
    assert spoken(grandchild.path, "user") == [("user", "fourth needle")]
    assert not conversation.skipped


@pytest.mark.parametrize("base", [{"thread_id": "gone"}, {"thread_id": SESSION}, {"thread_id": 3}, {}, "x"])
def test_what_a_fork_goes_on_from_may_be_gone(codex_home: Path, base: Any) -> None:
    child = Rollout(rollout_path(codex_home), history_base=base)
    child.exchange("third needle", "Three.")
    conversation = open_transcript(child.path)
    assert spoken(child.path, "user") == [("user", "third needle")]
    assert conversation.skipped == ({"base": 1} if isinstance(base, dict) else {})
    assert list(conversation.render(View())) == [line for line in child.lines() if line["type"] == "response_item"]


def test_ids_do_not_change_when_what_a_fork_goes_on_from_is_gone(parent: Rollout, codex_home: Path) -> None:
    child = based(parent, rollout_path(codex_home), 9)
    child.exchange("third needle", "Three.")
    before = [each.entry for each in passages(child.path)]
    parent.path.unlink()
    assert [each.entry for each in passages(child.path)] == before


def test_a_fork_that_is_read_as_it_grows_tells_the_same(parent: Rollout, codex_home: Path) -> None:
    whole = fork(parent, rollout_path(codex_home))
    whole.exchange("third needle", "Three.")
    whole.exchange("fourth needle", "Four.")
    data = whole.path.read_bytes()
    whole.path.write_bytes(b"")
    mark: Mark | None = None
    kept: list[str] = []
    for start in range(0, len(data), 700):
        whole.write(data[start : start + 700])
        part = history(whole.path, mark)
        settled = [each.text for each in part.passages()]
        kept = settled if part.fresh else kept + settled
        rest = [each.text for each in part.rest()]
        mark = part.mark() if part.mark().position else None
    assert [*kept, *rest] == [each.text for each in passages(whole.path)]
    assert [text for text in [*kept, *rest] if "needle" in text] == ["third needle", "fourth needle"]


def test_a_review_that_a_fork_repeats_is_its_parents(codex_home: Path) -> None:
    parent = Rollout(rollout_path(codex_home, PARENT, "sessions/2026/01/01"), PARENT)
    parent.item(message("user", "first needle"))
    parent.event("entered_review_mode", target={"type": "custom", "instructions": "mind it"})
    parent.event("turn_aborted", reason="interrupted")
    parent.item(message("user", "second needle"))
    child = fork(parent, rollout_path(codex_home))
    child.item(message("user", "third needle"))
    assert spoken(parent.path, "user") == [
        ("user", "first needle"),
        ("user", "mind it"),
        ("user", "second needle"),
    ]
    assert spoken(child.path, "user") == [("user", "third needle")]
