"""Any question: none crashes, and none is empty where one of its words stands in a passage."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from prune_mcp.search.find.places import Text
from prune_mcp.search.find.query import parse
from prune_mcp.search.find.question import SearchError
from prune_mcp.search.words import fold, stand_for
from tests.search.find.past import Past

pytestmark = pytest.mark.requirement("HIS-QUERY")

TEXTS = [
    "the flaky upload test in src/app/upload_test.py fails on CI: C++ needlePath v2 don't #4242",
    "\u6570\u636e\u5e93\u9501 timed out \U0001f389 caf\u00e9 Stra\u00dfe na\u00efve r\u00e9sum\u00e9",
    'rm -rf build && make -j4 > out.log 2>&1; a => b ?? c [x] {y} ^2 NEAR( field:value "quoted words"',
    "HTTPServer get_user_by_id node_modules/.bin/tsc ../../etc/passwd user@example.com 127.0.0.1:8080",
]
WORDS = [word for text in TEXTS for word in text.split()]
PIECES = st.one_of(
    st.sampled_from(WORDS),
    st.sampled_from(
        ['"', "-", "*", "~", "(", ")", "[", "]", "{", "}", "\\", "/", ":", "^", "?", "AND", "OR", "NOT", "\0"]
    ),
    st.text(max_size=5),
)
QUERIES = st.lists(PIECES, min_size=1, max_size=6).flatmap(
    lambda pieces: st.sampled_from(["", " "]).map(lambda between: between.join(pieces))
)


@pytest.fixture(scope="module")
def written(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Past]:
    from tests.search.indexing.machine import Machine

    machine = Machine(tmp_path_factory.mktemp("any"))
    past = Past(machine, True)
    past.says(*TEXTS)
    past.settle()
    past.indexed = False
    yield past
    machine.close()


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(query=QUERIES)
def test_no_question_crashes_and_marks_stand_inside_of_snippets(written: Past, query: str) -> None:
    try:
        found = written.ask(query)
    except SearchError:
        assert not query.strip()
        return
    for hit in found.hits:
        assert all(0 <= start < end <= len(hit.snippet) for start, end in hit.marks)
        assert list(hit.marks) == sorted(hit.marks)


@settings(max_examples=300, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    word=st.sampled_from([word for word in WORDS if stand_for(word)]),
    more=st.lists(PIECES, max_size=4),
    at=st.integers(0, 4),
)
def test_no_question_is_empty_where_one_of_its_words_stands_in_a_passage(
    written: Past, word: str, more: list[str], at: int
) -> None:
    more = [piece for piece in more if not piece.startswith(("-", '"'))]
    query = " ".join([*more[:at], word, *more[at:]])
    if not parse(query).without:
        assert written.ask(query).hits


@settings(max_examples=400, deadline=None)
@given(text=st.text(max_size=40), char=st.characters())
def test_folding_keeps_places(text: str, char: str) -> None:
    whole = f"{text} needle{char} {text}"
    places = Text(whole).within("needle", 100)
    assert places
    assert all(fold(Text(whole).text[start:end]).startswith("needle") for start, end in places)


@settings(max_examples=300, deadline=None)
@given(text=st.text(max_size=60))
def test_any_text_is_a_query_or_refused_for_being_empty(text: str) -> None:
    try:
        query = parse(text)
    except SearchError:
        assert not text.strip()
    else:
        assert query.clauses or query.literals
