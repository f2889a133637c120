"""REC-PAGE: pages join to the original, and an answer is never larger than its budget."""

from __future__ import annotations

import hashlib
import re
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from prune_mcp.engine.answers import EngineError
from prune_mcp.engine.recovery.cursor import BadCursor
from prune_mcp.engine.recovery.fence import shape
from prune_mcp.engine.recovery.recover import recover
from tests.recovery.shelf import Shelf, noise

pytestmark = pytest.mark.requirement("REC-PAGE")

TEXTS = [
    pytest.param("x" * 1_000_000, id="one line of 1 MB"),
    pytest.param("".join(map(str, range(180_000))), id="one line of 1 MB without repeats"),
    pytest.param(noise(30_000), id="30,000 lines"),
    pytest.param("ä€\U0001f600\n" * 9_000 + "\ud83d tail", id="wide characters and a lone surrogate"),
    pytest.param("a\r\nb\rc\u2028d\x00\x85e" * 3_000, id="every kind of line end"),
    pytest.param("", id="nothing"),
    pytest.param("\n" * 50_000, id="line ends only"),
]


@pytest.mark.parametrize("text", TEXTS)
def test_following_the_cursor_to_its_end_gives_the_whole_text(shelf: Shelf, text: str) -> None:
    shelf.put(text)
    answer = recover(shelf.store, ["t1"])
    pieces = [answer.items[0]]
    while answer.cursor:
        answer = recover(shelf.store, [], cursor=answer.cursor)
        pieces += answer.items
    assert "".join(piece.text for piece in pieces) == text
    assert [piece.start for piece in pieces] == [0, *(piece.end for piece in pieces[:-1])]
    assert {(piece.total, piece.sha) for piece in pieces} == {
        (len(text), hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest())
    }


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("limit", [7_001, 19_000, 60_000])
def test_pages_by_offset_and_limit_join_to_the_original(shelf: Shelf, text: str, limit: int) -> None:
    shelf.put(text)
    pages = []
    for offset in range(0, len(text) + 1, limit):
        answer = recover(shelf.store, ["t1"], offset=offset, limit=limit, budget=100_000)
        (item,) = answer.items
        assert (item.start, item.end) == (offset, min(offset + limit, len(text)))
        pages.append(item.text)
    assert "".join(pages) == text


def test_a_page_larger_than_the_budget_goes_on_by_cursor_and_stops_at_its_own_end(shelf: Shelf) -> None:
    text = noise(4_000)
    shelf.put(text)
    answer = recover(shelf.store, ["t1"], offset=1_000, limit=45_000)
    read = answer.items[0].text
    while answer.cursor:
        answer = recover(shelf.store, ["t1"], offset=1_000, limit=45_000, cursor=answer.cursor)
        read += answer.items[0].text
    assert read == text[1_000:46_000]


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=40)
@given(
    sizes=st.lists(st.integers(0, 9_000), min_size=1, max_size=12),
    budget=st.integers(1_000, 30_000),
    pattern=st.sampled_from(["", "1", "a+b*c+", "^7", "nothing like it"]),
)
def test_no_answer_is_larger_than_its_budget_and_the_answers_together_are_complete(
    shelf: Shelf, sizes: list[int], budget: int, pattern: str
) -> None:
    known = len(shelf.store.outputs(shelf.session))
    outputs = [shelf.put(noise(400, salt)[:size], key=f"file {salt}") for salt, size in enumerate(sizes, known)]
    refs = [f"t{outputs[0].ref}-t{outputs[-1].ref}", "t999999"]
    whole = recover(shelf.store, refs, pattern=pattern, budget=10_000_000)
    answer = recover(shelf.store, refs, pattern=pattern, budget=budget)
    read: dict[str, str] = {}
    while True:
        assert len(shape(answer)) <= budget
        for item in answer.items:
            read[item.ref] = read.get(item.ref, "") + item.text
        if not answer.cursor:
            break
        answer = recover(shelf.store, refs, pattern=pattern, cursor=answer.cursor, budget=budget)
    assert read == {item.ref: item.text for item in whole.items}


def test_what_the_budget_cuts_is_cut_after_a_line(shelf: Shelf) -> None:
    shelf.put(noise(3_000))
    first = recover(shelf.store, ["t1"])
    assert first.items[0].text.endswith("\n")
    assert recover(shelf.store, [], cursor=first.cursor).items[0].text.splitlines()[0] in noise(3_000).splitlines()


def test_the_same_question_gets_the_same_cursor_also_after_more_was_archived(shelf: Shelf) -> None:
    shelf.put(noise(3_000))
    first = recover(shelf.store, ["t1"])
    shelf.put("later")
    assert recover(shelf.store, ["t1"]) == first
    assert first.cursor is not None


def test_a_cursor_alone_goes_on_with_all_that_was_asked(shelf: Shelf) -> None:
    for number in range(1, 9):
        shelf.put(f"match {number}\n" + noise(500, number), call_id="again")
    asked = recover(shelf.store, ["again"], pattern="[0-9a]", context=1, budget=5_000)
    alone = recover(shelf.store, [], cursor=asked.cursor, budget=5_000)
    repeated = recover(
        shelf.store, ["again"], session="alpha", pattern="[0-9a]", context=1, cursor=asked.cursor, budget=5_000
    )
    assert alone == repeated
    last = alone
    while last.cursor:
        last = recover(shelf.store, [], cursor=last.cursor)
    assert last.items[-1].ref == "t8"
    assert "occurrence 8 of 8" in last.items[-1].note


def test_a_header_says_which_characters_of_how_many_and_the_cursor_is_the_last_line(shelf: Shelf) -> None:
    shelf.put(noise(3_000), key="make all")
    answer = recover(shelf.store, ["t1"])
    lines = shape(answer).splitlines()
    (item,) = answer.items
    assert f"chars=0-{item.end}/{item.total}" in lines[0]
    assert re.fullmatch(r"cursor: \S+", lines[-1])
    assert lines[-1] == f"cursor: {answer.cursor}"


@pytest.mark.parametrize(
    "spoil",
    [
        lambda cursor: cursor[:-1],
        lambda cursor: cursor[:20] + ("A" if cursor[20] != "A" else "B") + cursor[21:],
        lambda cursor: "refs-",
        lambda cursor: "refs-é",
        lambda cursor: "eyJvZmZzZXQiOjEwfQ==",
        lambda cursor: "\ud800",
        lambda cursor: "tree-" + cursor.removeprefix("refs-"),
    ],
)
def test_a_damaged_or_foreign_cursor_is_refused_with_what_to_do(shelf: Shelf, spoil: Callable[[str], str]) -> None:
    shelf.put(noise(3_000))
    cursor = recover(shelf.store, ["t1"]).cursor
    assert cursor is not None
    with pytest.raises(BadCursor, match=r"Copy|without refs"):
        recover(shelf.store, ["t1"], cursor=spoil(cursor))


@pytest.mark.parametrize(("ref", "other"), [("t2", {}), ("t1", {"pattern": "x"}), ("t1", {"offset": 5})])
def test_a_cursor_of_another_question_is_refused(shelf: Shelf, ref: str, other: dict[str, Any]) -> None:
    shelf.put(noise(3_000))
    shelf.put(noise(3_000))
    cursor = recover(shelf.store, ["t1"]).cursor
    with pytest.raises(BadCursor, match="another question"):
        recover(shelf.store, [ref], cursor=cursor, **other)


def test_an_offset_past_the_end_says_how_long_the_text_is(shelf: Shelf) -> None:
    shelf.put("short")
    (item,) = recover(shelf.store, ["t1"], offset=900).items
    assert (item.text, item.start, item.end) == ("", 5, 5)
    assert "5 characters" in item.note


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"offset": -1}, "offset=-1"),
        ({"limit": 0}, "limit=0"),
        ({"context": -2}, "context=-2"),
        ({"lines": "1:5", "offset": 10}, "offset=10 pages the whole text: leave it out"),
        ({"pattern": "a", "offset": 10}, "offset=10 pages the whole text: leave it out"),
        ({"pattern": "a" * 5_000}, "longer than 2000"),
    ],
)
def test_a_question_without_sense_is_refused_in_one_sentence(
    shelf: Shelf, arguments: dict[str, Any], said: str
) -> None:
    shelf.put("text")
    with pytest.raises(EngineError, match=re.escape(said)):
        recover(shelf.store, ["t1"], **arguments)
