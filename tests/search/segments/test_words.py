"""Words: what a text is found by, and what a word of a query asks for."""

from __future__ import annotations

import re
import tracemalloc
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prune_mcp.search.words import LONGEST, counts, fold, parts, stand_for

pytestmark = pytest.mark.requirement("HIS-QUERY")

# A word as a person asks for it, and a text that holds it, perhaps in another spelling.
FOUND = [
    ("parseHTMLDoc", "return parseHTMLDoc(x)"),
    ("parsehtmldoc", "return parseHTMLDoc(x)"),
    ("html", "return parseHTMLDoc(x)"),
    ("doc", "return parse_html_doc(x)"),
    ("snake_case_name", "a.snake_case_name = 1"),
    ("SNAKE_CASE_NAME", "a.snake_case_name = 1"),
    ("kebab-case", "a kebab-case name"),
    ("foo.bar_baz()", "x = foo.bar_baz(1)"),
    ("src/needle-path_v2.py", "open src/needle-path_v2.py:12"),
    ("needle-path_v2.py", "open src/needle-path_v2.py:12"),
    ("C:\\Users\\Anna\\notes.txt", "in C:\\Users\\Anna\\notes.txt"),
    ("#4242", "closes #4242."),
    ("don't", "we don't"),
    ("C++", "written in C++"),
    ("v1.2.3", "released v1.2.3"),
    ("3a9d0c12-77aa-4b1e-9f00-0123456789ab", "session 3a9d0c12-77aa-4b1e-9f00-0123456789ab"),
    ("数据库锁", "今天修复了数据库锁的问题"),
    ("锁", "今天修复了数据库锁"),
    ("バグ", "このバグを直す"),
    ("ﾊﾞｸﾞ", "このバグを直す"),
    ("검색", "한국어검색"),
    ("ฐานข้อมูล", "ล็อกฐานข้อมูลแล้ว"),
    ("हिन्दी", "मुझे हिन्दी आती है"),
    ("✅", "done ✅"),
    ("👩‍💻", "by 👩‍💻"),
    ("needle", "    40→needle = 1"),
    ("40→needle", "    40→needle = 1"),
    ("дом", "Большой Дом"),
    ("ЁЖ", "еж"),
    ("café", "CAFE"),
    ("cafe", "Café"),
    ("cafe\u0301", "caf\u00e9"),
    ("ışık", "IŞIK"),
    ("istanbul", "İSTANBUL"),
    ("strasse", "Straße"),
    ("ΟΔΟΣ", "οδος"),
    ("full", "ｆｕｌｌ width"),
    ("soft", "so\u00adft"),
    ("nai\u0308ve", "naive"),
    ("कि", "कि"),
    ("error", "\x1b[31mERROR\x1b[0m"),
    ("needle", "\x1b[01;31mnee\x1b[m\x1b[Kdle"),
    ("second", '{"text":"first\\nsecond"}'),
    ("second", '{"text":"{\\"inner\\":\\"first\\\\nsecond\\"}"}'),
    ("cafés", '{"text":"caf\\u00e9s"}'),
    ("锁", '{"text":"\\u9501"}'),
    ("red", '{"text":"\\u001b[31mred"}'),
    ("🎉", '{"text":"\\ud83c\\udf89"}'),
    ("lone", '{"text":"\\ud83c lone \\ud83cx"}'),
    ("users", "C:\\\\users\\\\new"),
]


@pytest.mark.parametrize(("word", "text"), FOUND)
def test_a_word_is_found_in_a_text_that_holds_it(word: str, text: str) -> None:
    asked = stand_for(word)
    assert asked
    assert counts(text).keys() >= set(asked)


@pytest.mark.parametrize(
    ("word", "text"),
    [
        ("锁库", "数据库锁"),
        ("case", "uppercase"),
        ("bar", "foobar"),
        ("14242", "#4242"),
        ("ab", "a b"),
        ("v2", "v21"),
    ],
)
def test_a_word_is_not_found_in_a_text_without_it(word: str, text: str) -> None:
    assert not counts(text).keys() >= set(stand_for(word))


@pytest.mark.parametrize("word", ["", "->", "→", "...", "++", "'", "–", "\u0301", "\ud83d", "\x1b[31m"])
def test_punctuation_alone_asks_for_nothing(word: str) -> None:
    assert stand_for(word) == []
    assert not counts(word)


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("parseHTMLDoc", ["parse", "html", "doc"]),
        ("__init__", ["init"]),
        ("XMLHttpRequest2", ["xml", "http", "request2"]),
        ("MAX_RETRIES", ["max", "retries"]),
        ("src/needlePath.py", ["needle", "path"]),
        ("x_train", ["train"]),
        ("plain", []),
        ("Plain", []),
        ("aGVsbG8gd29ybGQhIQzX", []),
    ],
)
def test_a_name_has_its_parts(name: str, expected: list[str]) -> None:
    assert parts(name) == expected


def test_how_often_counts_every_spelling_together() -> None:
    assert counts("Parse parse parseTree PARSE parse_tree") == {
        "parse": 5,
        "parsetree": 1,
        "parse_tree": 1,
        "tree": 2,
    }


def test_a_long_word_is_found_by_its_beginning_alone() -> None:
    blob = "q" * LONGEST
    assert stand_for(blob + "x") == [blob]
    assert counts("data " + blob + "y" * 1_000_000) == {"data": 1, blob: 1}


def test_a_long_name_keeps_its_parts() -> None:
    name = "test_that_an_upload_is_tried_again_after_a_timeout_of_the_server_and_then_given_up"
    assert {"upload", "given"} <= counts(name).keys()


def test_folding_keeps_what_a_pattern_needs() -> None:
    assert fold("Caf\u00e9*?") == "cafe*?"
    assert fold("PARSE*") == "parse*"


WORDS = st.sampled_from([word for word, _ in FOUND] + [text for _, text in FOUND])
TEXTS = st.lists(st.one_of(WORDS, st.text(max_size=12)), max_size=8).map(" ".join)


@given(TEXTS)
def test_every_word_of_a_text_finds_it(text: str) -> None:
    held = counts(text).keys()
    for word in [*text.split(), *re.split(r"[^\w\u0080-\U0010ffff]+", text.replace("\x1b", " "))]:
        if "\x1b" not in text:
            assert held >= set(stand_for(word)), word


@given(TEXTS, TEXTS)
def test_the_words_of_two_texts_are_those_of_both_together(one: str, other: str) -> None:
    if "\\" not in one + other:
        assert counts(f"{one} {other}") == Counter(counts(one)) + Counter(counts(other))


@given(TEXTS)
def test_terms_can_be_kept_as_lines_of_utf_8(text: str) -> None:
    for term in counts(text):
        assert "\n" not in term.encode().decode()
        assert term
        assert stand_for(term) or len(term) == 2


def test_a_text_of_any_length_is_counted_whole() -> None:
    line = 'parseTree of "näme",{"a":"x\\nsecond"}\n'
    long = counts(line * 100_000)
    assert long == {term: times * 100_000 for term, times in counts(line).items()}


@pytest.mark.parametrize(
    "text", ["\\" * 300_000, "\\n" * 300_000, "\x1b[" * 300_000, "aB" * 300_000, "_" * 300_000]
)
def test_no_text_takes_long(text: str) -> None:
    assert len(counts(text + " end")) < 10
    assert "end" in counts(text + " end")


def test_long_tokens_are_not_remembered() -> None:
    counts("warm up")
    tracemalloc.start()
    try:
        for n in range(40):
            counts(f"{n:x}" * 400_000)
        kept, _ = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert kept < 1_000_000
