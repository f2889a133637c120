"""The order of hits: originals before what repeats them, the newer before the older, words before machine text."""

from __future__ import annotations

import pytest

from tests.search.find.past import Past
from tests.sessions.transcripts.writing import ClaudeFile, tool_use

pytestmark = pytest.mark.requirement("HIS-RANK")


def search_by_us(file: ClaudeFile, call: str, query: str, answer: str) -> None:
    """Our own search in a session, with its answer."""
    file.says(tool_use(call, "mcp__prune-mcp__history_search", query=query))
    file.result(call, answer)


def test_an_echo_of_a_search_never_ranks_above_an_original(past: Past) -> None:
    original, weak = past.says("the flaky upload test was fixed by a lock, as far as we know today", "an upload")
    echoing = past.session(2)
    echoing.prompt("what was it?")
    search_by_us(echoing, "c1", "flaky upload test", "1. the flaky upload test was fixed by a lock")
    search_by_us(echoing, "c2", "flaky upload test", "flaky upload test " * 5)
    hits = past.ask("flaky upload test").hits
    assert [hit.entry for hit in hits[:2]] == [original, weak]
    assert [list(hit.flags) for hit in hits] == [[], [], *[["echo"]] * 3]


def test_the_running_sessions_last_exchange_ranks_below_everything_else(past: Past) -> None:
    (original,) = past.says("upload, once, in a text that is about quite other things and goes on and on")
    asking = past.session(2)
    asking.prompt("was the upload flaky yesterday?")
    earlier = asking.says("the upload was flaky yesterday, yes")
    question = asking.prompt("where did we fix the flaky upload?")
    search = asking.says("I search for the flaky upload", tool_use("c1", "Grep", pattern="flaky upload"))
    entries = past.entries("flaky upload", own_session=asking.session)
    assert set(entries[-3:]) == {question, search}
    assert {original, earlier} <= set(entries[:-3])
    assert past.entries("flaky upload")[-1] == original


def test_a_sessions_own_search_shows_its_newest_first_without_the_question_itself(past: Past) -> None:
    file = past.session()
    first = file.prompt("the upload fails")
    second = file.says("the upload upload upload fails")
    third = file.prompt("then the upload works")
    file.prompt("what did I say about the upload?")
    file.says("I look for upload")
    past.says("an upload elsewhere", number=2)
    asked = {"session": file.session, "own_session": file.session}
    assert past.entries("upload", **asked) == [third, second, first]


def test_a_sessions_own_search_shows_what_tools_put_out_since_the_last_prompt(past: Past) -> None:
    file = past.session()
    file.prompt("do something about the upload")
    said = file.says("first I look at the upload")
    output = file.turn("c1", "the upload is broken")
    file.says("now I search for upload")
    search_by_us(file, "c2", "upload", "1. the upload is broken")
    file.says("and again for upload")
    asked = {"session": file.session, "own_session": file.session}
    assert past.entries("upload", **asked)[:2] == [output, said]
    assert len(past.entries("upload", **asked)) == 3


def test_a_sessions_own_search_shows_what_holds_all_words_first(past: Past) -> None:
    file = past.session()
    whole = file.prompt("a flaky upload")
    newer = file.says("an upload")
    assert past.entries("flaky upload", session=file.session) == [whole, newer]


def test_a_sessions_own_search_leaves_out_what_a_rewind_left_behind(past: Past) -> None:
    file = past.session()
    root = file.prompt("begin")
    left = file.prompt("the upload of before", parent=root)
    file.says("some upload answer")
    kept = file.prompt("the upload of now", parent=root)
    file.says("done")
    assert past.entries("upload", session=file.session[:8]) == [kept]
    everywhere = {hit.entry: list(hit.flags) for hit in past.ask("upload").hits}
    assert everywhere[left] == ["abandoned"]
    assert everywhere[kept] == []


def test_of_equal_fits_the_newer_comes_first(past: Past) -> None:
    file = past.session()
    file.prompt("go")
    old = file.says("the upload broke in spring", timestamp="2025-03-01T10:00:00Z")
    new = file.says("the upload broke in autumn", timestamp="2025-12-20T10:00:00Z")
    middle = file.says("the upload broke in summer", timestamp="2025-08-01T10:00:00Z")
    assert past.entries("upload broke") == [new, middle, old]


def test_a_far_better_fit_comes_before_a_newer_one(past: Past) -> None:
    file = past.session()
    file.prompt("go")
    good = file.says("flaky upload test", timestamp="2025-06-01T10:00:00Z")
    weak = file.says("a test of something else", timestamp="2025-12-30T10:00:00Z")
    assert past.entries("flaky upload test") == [good, weak]


def test_summaries_and_machine_text_rank_below_what_was_said(past: Past) -> None:
    file = past.session()
    file.prompt("go")
    said = file.says("the flaky upload is fixed, after a long search for it")
    summary = file.compact("the flaky upload is fixed")
    machine = file.prompt("<system-reminder>the flaky upload is fixed</system-reminder>", isMeta=True)
    found = {hit.entry: hit.role for hit in past.ask("flaky upload fixed").hits}
    assert list(found.items()) == [(said, "assistant"), (summary, "summary"), (machine, "machine")]


def test_newest_first_when_asked_for(past: Past) -> None:
    file = past.session()
    file.prompt("go")
    better = file.says("upload upload", timestamp="2025-06-01T10:00:00Z")
    newer = file.says("an upload among many other words that do not matter", timestamp="2025-06-02T10:00:00Z")
    assert past.entries("upload", newest=True) == [newer, better]


def test_a_passage_has_the_same_place_whether_it_is_indexed_or_not(indexed: Past, scanned: Past) -> None:
    file = indexed.session()
    file.prompt("go")
    for n in range(12):
        file.says(f"upload {'flaky ' * (n % 4)} {'and ' * n} number{n}", timestamp=f"2025-{n + 1:02}-03T10:00:00Z")
    before = scanned.entries("flaky upload", limit=50)
    assert len(before) == 12
    assert indexed.entries("flaky upload", limit=50) == before
    newer = file.says("flaky flaky upload", timestamp="2026-01-01T10:00:00Z")
    partly = scanned.entries("flaky upload", limit=50)
    assert partly[0] == newer
    assert set(partly[1:]) == set(before)
    assert indexed.entries("flaky upload", limit=50)[0] == newer
