"""Pages of hits: they join exactly, whatever happens to the history between them."""

from __future__ import annotations

import os
import stat
from pathlib import Path
from typing import Any

import pytest

from prune_mcp.search.find.matching import MOST
from prune_mcp.search.find.question import Found, SearchError
from prune_mcp.search.find.results import KEPT
from tests.search.find.past import Past
from tests.search.indexing.machine import rest

pytestmark = pytest.mark.requirement("HIS-PAGE")


def many(past: Past, count: int = 60, number: int = 1) -> list[str]:
    """A session that says the needle so often, each time otherwise."""
    return past.says(*(f"needle {'and ' * (n % 7)} word{n}" for n in range(count)), number=number)


def pages(past: Past, text: str, **how: Any) -> list[Found]:
    """All pages of an answer."""
    found = [past.ask(text, **how)]
    while found[-1].cursor:
        found.append(past.ask(text, **{**how, "cursor": found[-1].cursor}))
    return found


def entries(found: list[Found]) -> list[str]:
    return [hit.entry for page in found for hit in page.hits]


def test_pages_hold_each_hit_once_and_all_of_them_in_order(past: Past) -> None:
    said = many(past)
    found = pages(past, "needle", limit=7)
    assert [len(page.hits) for page in found] == [7] * 8 + [4]
    assert sorted(entries(found)) == sorted(said)
    scores = [hit.score for page in found for hit in page.hits]
    assert scores == sorted(scores, reverse=True)
    assert found[0].total == 60
    assert [page.first for page in found] == [1, 8, 15, 22, 29, 36, 43, 50, 57]


def test_by_default_a_page_holds_ten_hits_and_at_most_fifty(past: Past) -> None:
    many(past)
    assert len(past.ask("needle").hits) == 10
    assert len(past.ask("needle", limit=50).hits) == 50
    for limit in (0, -1, 51):
        with pytest.raises(SearchError, match="1 to 50"):
            past.ask("needle", limit=limit)


def test_pages_join_while_sessions_grow_are_indexed_and_merged(machine_past: Past) -> None:
    past = machine_past
    said = many(past)
    file = past.session()
    first = past.ask("needle", limit=20)
    file.says("needle needle needle, the best of all")
    many(past, 30, number=2)
    rest(file.path)
    past.indexed = True
    second = past.ask("needle", limit=20, cursor=first.cursor)
    many(past, 30, number=3)
    third = past.ask("needle", limit=20, cursor=second.cursor)
    assert sorted(entries([first, second, third])) == sorted(said)
    assert third.cursor == ""


@pytest.fixture(params=["indexed before", "scanned at first"])
def machine_past(past: Past, request: pytest.FixtureRequest) -> Past:
    past.indexed = request.param == "indexed before"
    return past


def test_pages_of_a_phrase_hold_only_where_its_words_stand_together(past: Past) -> None:
    texts = [f"the blue needle {n}" if n % 3 else f"the needle is blue {n}" for n in range(60)]
    said = past.says(*texts)
    found = pages(past, '"blue needle"', limit=10)
    assert sorted(entries(found)) == sorted(id for n, id in enumerate(said) if n % 3)
    assert [page.first for page in found] == [1, 11, 21, 31]


def test_a_cursor_belongs_to_its_question(past: Past) -> None:
    many(past)
    cursor = past.ask("needle").cursor
    assert past.ask("  needle ", cursor=f"`{cursor}`", limit=3).hits
    others: list[dict[str, Any]] = [
        {"text": "word1"},
        {"role": "assistant"},
        {"project": "app"},
        {"agent": "pi"},
        {"newest": True},
    ]
    for other in others:
        with pytest.raises(SearchError, match="another question"):
            past.ask(**{"text": "needle", "cursor": cursor, **other})


@pytest.mark.parametrize(
    "cursor", ["x", "search-", "search-0123456789abcdef-0-10", "tree-abc", "search-../../etc-0"]
)
def test_a_cursor_that_is_none_is_refused_in_words(past: Past, cursor: str) -> None:
    many(past)
    with pytest.raises(SearchError, match="cursor"):
        past.ask("needle", cursor=cursor)


def test_kept_results_are_private_and_the_oldest_go(indexed: Past) -> None:
    many(indexed)
    folder = indexed.machine.index.paths.searches
    first = indexed.ask("needle").cursor
    for n in range(KEPT + 5):
        indexed.ask(f"needle word{n}")
        os.utime(max(folder.iterdir(), key=lambda path: path.stat().st_mtime_ns), (10 + n, 10 + n))
    kept = list(folder.iterdir())
    assert len(kept) == KEPT
    assert all(stat.S_IMODE(path.stat().st_mode) == 0o600 for path in kept)
    assert indexed.ask("needle", cursor=first).hits


def test_an_answer_without_room_for_a_list_says_so(indexed: Past, monkeypatch: pytest.MonkeyPatch) -> None:
    many(indexed, MOST + 5)
    folder = indexed.machine.index.paths.searches
    folder.parent.mkdir(parents=True, exist_ok=True)
    Path(folder).write_text("in the way")
    found = indexed.ask("needle")
    assert len(found.hits) == 10
    assert found.cursor == ""
    assert any("no cursor" in note and "Errno" not in note for note in found.notes)
    assert not any("paged through" in note for note in found.notes)


def test_a_list_that_is_cut_says_that_there_are_more(past: Past) -> None:
    many(past, MOST + 5)
    assert any("There are more than the" in note for note in past.ask("needle").notes)
    assert not any("There are more" in note for note in past.ask("word7").notes)
