"""Copies: text that several sessions share comes once, from where it was said first, and names the others."""

from __future__ import annotations

import json

import pytest

from tests.search.find.past import Past
from tests.search.indexing.machine import rest
from tests.sessions.gemini.writing import GeminiFile, asks, header
from tests.sessions.transcripts.writing import ClaudeFile

pytestmark = pytest.mark.requirement("HIS-COPIES")


def resumed(past: Past, source: ClaudeFile, number: int) -> ClaudeFile:
    """A resumed copy of a session: the same entries under another session's id."""
    copy = past.session(number)
    for line in source.path.read_text().splitlines():
        copy.line({**json.loads(line), "sessionId": copy.session})
    copy.count, copy.tip = source.count, source.tip
    return copy


def test_a_resumed_copys_text_comes_once_from_the_original(past: Past) -> None:
    original = past.session(9)
    original.prompt("go ahead")
    shared = original.says("the shared needle")
    rest(original.path, 1000)
    copy = resumed(past, original, 2)
    new = copy.says("a new needle")
    hits = {hit.entry: hit for hit in past.ask("needle").hits}
    assert set(hits) == {shared, new}
    assert hits[shared].session == original.session
    assert [(other.session, other.ref) for other in hits[shared].copies] == [
        (copy.session, f"{shared[:8]}@{copy.session[:8]}")
    ]
    assert (hits[new].session, hits[new].copy_count) == (copy.session, 0)


def test_copies_that_rank_far_below_are_named_too(past: Past) -> None:
    file = past.session()
    file.prompt("go")
    for n in range(8):
        file.says("needle of many", timestamp=f"2025-0{n + 1}-01T00:00:00Z")
        file.says(*[f"filler {n}"] * 3)
    hit = past.only("needle")
    assert (hit.copy_count, len(hit.copies)) == (7, 5)
    assert hit.time == 1_735_689_600.0


def test_the_same_words_in_another_role_are_no_copy(past: Past) -> None:
    file = past.session()
    asked = file.prompt("the needle")
    said = file.says("the needle")
    assert set(past.entries("needle")) == {asked, said}


def test_a_filter_attributes_a_text_to_a_session_that_passes(indexed: Past) -> None:
    past = indexed
    first = past.session(1, "-home-user-old")
    first.prompt("the needle", cwd="/home/user/old", timestamp="2025-10-01T00:00:00Z")
    second = past.session(2, "-home-user-new")
    entry = second.prompt("the needle", cwd="/home/user/new", timestamp="2025-11-01T00:00:00Z")
    assert past.only("needle").session == first.session
    hit = past.only("needle", project="new")
    assert (hit.session, hit.entry, hit.project) == (second.session, entry, "new")
    assert [copy.session for copy in hit.copies] == [first.session]


def test_an_indexed_text_and_its_copy_that_is_not_indexed_are_one_hit(indexed: Past) -> None:
    original = indexed.session(1)
    shared = original.prompt("the shared needle")
    indexed.settle()
    copy = resumed(indexed, original, 2)
    indexed.indexed = False
    hit = indexed.only("needle")
    assert (hit.session, hit.entry) == (original.session, shared)
    assert [other.session for other in hit.copies] == [copy.session]


def test_an_original_that_is_not_indexed_yet_stands_before_its_indexed_copy(indexed: Past) -> None:
    original = indexed.session(1)
    shared = original.prompt("the shared needle")
    rest(original.path, 1000)
    away = indexed.machine.user / "away"
    copy = resumed(indexed, original, 2)
    copy.says("and on")
    original.path.rename(away)
    indexed.settle()
    away.rename(original.path)
    indexed.indexed = False
    hit = indexed.only("needle")
    assert (hit.session, hit.entry) == (original.session, shared)
    assert [other.session for other in hit.copies] == [copy.session]


def test_a_response_that_is_read_again_is_no_copy_of_itself(indexed: Past) -> None:
    file = indexed.session()
    file.prompt("go")
    entry = file.says("needle at last", id="msg_open")
    indexed.settle()
    file.says("and more to come", id="msg_open")
    indexed.indexed = False
    hit = indexed.only("needle")
    assert (hit.entry, hit.copy_count) == (entry, 0)


@pytest.mark.requirement("HIS-GONE", "SES-GEMINI")
def test_a_text_that_a_second_file_of_its_session_holds_is_not_gone_with_the_first(indexed: Past) -> None:
    old = GeminiFile(indexed.machine.user, ending="json")
    old.whole([asks(1, "the needle"), asks(2, "only the old needle")])
    indexed.settle()
    new = GeminiFile(indexed.machine.user)
    new.path = new.path.with_name("session-2026-02-04T08-00-5e551014.jsonl")
    new.write([header(), asks(1, "the needle")])
    indexed.settle()
    old.path.unlink()
    for _ in range(2):
        flags = {hit.entry: (hit.flags, hit.copy_count) for hit in indexed.ask("needle").hits}
        assert flags == {"m1": ([], 0), "m2": (["gone"], 0)}
        indexed.machine.update()
