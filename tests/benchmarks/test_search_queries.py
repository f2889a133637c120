"""The queries that search is measured with are what they are called, and the ranking's measures are right."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from bm25 import Plain
from home import write_home
from queries import CLASSES, PER_CLASS, WORD, Query, extracted, queries
from ranking import SETS, Question, by_word, home_of, passages, quality, questions


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("home")
    write_home(folder, 8)
    return folder


@pytest.fixture(scope="module")
def asked(home: Path) -> list[Query]:
    return queries(home)


def test_a_home_is_asked_as_many_queries_of_each_class(home: Path, asked: list[Query]) -> None:
    assert {kind: sum(one.kind == kind for one in asked) for kind in CLASSES} == dict.fromkeys(CLASSES, PER_CLASS)
    assert queries(home) == asked


def test_rare_words_stand_in_few_texts_common_ones_in_many_and_phrases_in_some(
    home: Path, asked: list[Query]
) -> None:
    texts = [text.text.lower() for text in extracted(home)]
    words = [set(WORD.findall(text)) for text in texts]

    def holding(word: str) -> int:
        return sum(word in known for known in words)

    by_kind = {kind: [one.words for one in asked if one.kind == kind] for kind in CLASSES}
    assert all(3 <= holding(word) <= 15 for (word,) in by_kind["rare"])
    assert all(holding(word) >= len(texts) // 8 for (word,) in by_kind["common"])
    assert all(any(" ".join(phrase) in text for text in texts) for phrase in by_kind["phrase"])
    assert all(any(known.startswith(word) for known in set().union(*words)) for (word,) in by_kind["prefix"])


def test_a_query_is_written_as_its_class_says() -> None:
    assert Query("phrase", ("two", "words")).text == '"two words"'
    assert Query("prefix", ("begin",)).text == "begin*"
    filtered = Query("filtered", ("word",), (("role", "user"),))
    assert filtered.arguments == {"query": "word", "all": True, "role": "user"}


def test_plain_bm25_scores_by_its_formula() -> None:
    index = Plain(["apple pear", "apple apple plum fig", "plum"], by_word)

    assert index.best("apple", 9) == [1, 0]
    assert index.best("pear apple", 9) == [0, 1]
    assert index.best("grape", 9) == []
    weight = math.log(1 + 1.5 / 2.5)
    # Twice in four words, where seven stand in three texts.
    assert index.weight("apple") * index.part(1, "apple") == pytest.approx(
        weight * 2 * 2.2 / (2 + 1.2 * (0.25 + 0.75 * 4 / (7 / 3)))
    )


def test_quality_counts_the_first_right_entry_of_each_question() -> None:
    asked = [
        Question("a", "s", frozenset("x")),
        Question("b", "s", frozenset("yz")),
        Question("c", "s", frozenset("q")),
    ]

    found = quality([["x", "y"], ["a", "b", "c", "z"], ["a"]], asked)

    assert (found.first, found.five) == (1 / 3, 2 / 3)
    assert found.reciprocal == pytest.approx((1 + 1 / 4) / 3)


@pytest.mark.parametrize(("name", "least"), [("tuned on", 40), ("held out", 24)])
def test_every_question_names_entries_that_the_recorded_sessions_hold(
    shared_sessions: Path, name: str, least: int
) -> None:
    asked = questions(name)
    known = {passage.entry for passage in passages(home_of(shared_sessions))}

    assert len(asked) >= least
    assert {one.question: one.entries - known for one in asked if not one.entries <= known} == {}
    assert all(one.entries for one in asked)


def test_what_is_held_out_asks_for_other_entries_than_what_the_ranking_was_tuned_on() -> None:
    tuned = frozenset().union(*(one.entries for one in questions("tuned on")))
    held_out = questions("held out")

    assert len(SETS) == 2
    assert sum(bool(one.entries & tuned) for one in held_out) <= 2
    assert not any(one.entries <= tuned for one in held_out)
