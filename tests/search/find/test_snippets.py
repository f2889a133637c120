"""Snippets: short, on one line, around what was asked for, with the matches marked."""

from __future__ import annotations

import pytest

from tests.search.find.past import Past, marked

FILLER = "lorem ipsum dolor sit amet " * 40


def test_a_snippet_shows_where_most_of_the_words_stand(past: Past) -> None:
    past.says(f"a needle. {FILLER} here the blue needle lies in the hay {FILLER} hay")
    hit = past.only("blue needle hay")
    assert marked(hit) == ["blue", "needle", "hay"]
    assert len(hit.snippet) <= 220
    assert hit.snippet.startswith("...")
    assert hit.snippet.endswith("...")


def test_a_snippet_is_one_line_of_whole_words(past: Past) -> None:
    past.says(f"{FILLER}\n\n  the\tneedle\r\n   {FILLER}")
    hit = past.only("needle")
    assert "the needle lorem" in hit.snippet
    assert hit.snippet.isprintable()
    assert set(hit.snippet.strip(".").split()) <= {*FILLER.split(), "the", "needle"}


def test_a_short_text_is_shown_whole(past: Past) -> None:
    past.says("just a needle")
    assert past.only("needle").snippet == "just a needle"


@pytest.mark.parametrize(
    ("text", "query", "marks"),
    [
        ("Straße und Café au lait", "strasse cafe", ["Straße", "Café"]),
        ("⚠️ e\u0301clair ⚠️ cafe\u0301", "éclair café", ["e\u0301clair", "cafe\u0301"]),
        ("a needlePath and needle_path", "needle_path", ["needlePath", "needle_path"]),
        ("uploads uploading upload", "upload*", ["uploads", "uploading", "upload"]),
        ("原因是数据库锁超时", "数据库锁", ["数据库锁"]),
        ("in src/app/main.py now", "src/app/main.py", ["src/app/main.py"]),
        ("\x1b[31mred\x1b[0m alert", "red", ["red"]),
        ("a => b", "=>", ["=>"]),
        ("an upload", "uplod~", ["upload"]),
    ],
)
def test_what_matches_is_marked_as_it_is_written(past: Past, text: str, query: str, marks: list[str]) -> None:
    past.says(text)
    assert marked(past.only(query)) == marks


def test_a_word_without_blanks_is_cut(past: Past) -> None:
    past.says("x" * 3000 + "-needle-" + "y" * 3000)
    hit = past.only("needle")
    assert marked(hit) == ["needle"]
    assert len(hit.snippet) <= 220


def test_lone_surrogates_do_not_leave_in_a_snippet(past: Past) -> None:
    past.says("a needle \ud83d half emoji")
    assert past.only("needle").snippet == "a needle \ufffd half emoji"
