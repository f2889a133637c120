"""Whoosh's own searcher over our segments finds and scores what it does over an index of its own."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from whoosh import query
from whoosh.analysis import Token, Tokenizer
from whoosh.fields import STORED, TEXT, Schema
from whoosh.filedb.filestore import RamStorage
from whoosh.searching import Searcher

from prune_mcp.search.segments.segment import Segment
from prune_mcp.search.segments.whoosh_terms import FIELD, expand
from prune_mcp.search.words import counts
from tests.search.segments.build import row, write
from tests.search.segments.whoosh_searching import search

pytestmark = pytest.mark.requirement("HIS-QUERY")

# Each segment's documents; some of the words are common enough for lists of several blocks.
SIZES = (2600, 1, 700)
COMMON = ["the", "file", "test", "error", "upload"]
RARE = [
    "functions",
    "function",
    "functoin",
    "junction",
    "parser",
    "parameter",
    "partner",
    "tester",
    "数据库锁",
    "café",
]


def texts() -> list[str]:
    chance = random.Random(11)
    return [
        " ".join(
            chance.choices(COMMON, [9, 5, 3, 2, 1], k=chance.randrange(1, 60))
            + chance.choices(RARE, k=chance.randrange(3))
            + ["loud"] * chance.choice([0, 0, 0, 300])
        )
        for _ in range(sum(SIZES))
    ]


class OurWords(Tokenizer):
    """Whoosh's index of the same terms."""

    def __call__(self, value: str, **kinds: Any) -> Iterator[Any]:
        token = Token(**{kind: kinds[kind] for kind in ("positions", "chars") if kind in kinds})
        for term, times in counts(value).items():
            for _ in range(times):
                token.text, token.boost, token.pos, token.stopped = term, 1.0, 0, False
                yield token


@pytest.fixture(scope="module")
def stock() -> Iterator[Searcher]:
    index = RamStorage().create_index(Schema(**{FIELD: TEXT(phrase=False, analyzer=OurWords()), "number": STORED}))
    written = iter(enumerate(texts()))
    for size in SIZES:
        writer = index.writer()
        for _, (number, text) in zip(range(size), written, strict=False):
            writer.add_document(**{FIELD: text, "number": number})
        writer.commit(merge=False)
    with index.searcher() as searcher:
        yield searcher


@pytest.fixture(scope="module")
def segments(tmp_path_factory: pytest.TempPathFactory) -> list[Segment]:
    folder = tmp_path_factory.mktemp("segments")
    all_texts, start, found = texts(), 0, []
    for size in SIZES:
        documents = [(row(), counts(text)) for text in all_texts[start : start + size]]
        found.append(write(folder / f"{start}.seg", documents))
        start += size
    return found


def term(word: str) -> query.Term:
    return query.Term(FIELD, word)


QUERIES = [
    *map(term, ["the", "upload", "loud", "functoin", "数据", "cafe", "missing"]),
    query.Or([term("file"), term("parser")]),
    query.And([term("file"), term("upload"), term("parser")]),
    query.And([term("the"), query.Not(term("file"))]),
    query.AndNot(term("file"), term("test")),
    query.AndMaybe(term("error"), term("loud")),
    query.DisjunctionMax([term("file"), term("tester")]),
    query.Or([query.And([term("file"), term("error")]), query.And([term("loud"), term("missing")])]),
    query.Prefix(FIELD, "par"),
    query.Prefix(FIELD, "par", constantscore=False),
    query.Wildcard(FIELD, "t*st*"),
    query.Wildcard(FIELD, "?un*n", constantscore=False),
    query.Wildcard(FIELD, "*"),
    query.Regex(FIELD, "f.le"),
    query.FuzzyTerm(FIELD, "function", maxdist=1),
    query.FuzzyTerm(FIELD, "function", maxdist=2, constantscore=False),
    query.TermRange(FIELD, "e", "fz"),
    query.Every(),
    query.NullQuery,
]


def scores(searcher: Searcher, asked: query.Query) -> dict[int, float]:
    found = searcher.search(asked, limit=None)
    return {searcher.stored_fields(doc)["number"]: score or 0.0 for doc, score in found.items()}


@pytest.mark.parametrize("asked", QUERIES, ids=repr)
def test_the_same_documents_have_the_same_scores(
    stock: Searcher, segments: list[Segment], asked: query.Query
) -> None:
    starts = [sum(SIZES[:n]) for n in range(len(SIZES))]
    found = {starts[hit.segment] + hit.doc: hit.score or 0.0 for hit in search(segments, asked)}
    assert found == pytest.approx(scores(stock, asked), abs=1e-9)


# Limited to ten, DisjunctionMax loses some of the best over Whoosh's own index too.
@pytest.mark.parametrize("asked", [q for q in QUERIES if not isinstance(q, query.DisjunctionMax)], ids=repr)
def test_the_best_ten_have_the_best_scores(stock: Searcher, segments: list[Segment], asked: query.Query) -> None:
    best = sorted(scores(stock, asked).values(), reverse=True)[:10]
    assert [hit.score or 0.0 for hit in search(segments, asked, 10)] == pytest.approx(best, abs=1e-9)


def test_one_segment_is_searched_alone(segments: list[Segment]) -> None:
    found = search(segments[:1], term("parser"))
    assert {hit.segment for hit in found} == {0}
    assert sorted(hit.doc for hit in found) == list(segments[0].postings("parser")[0])


def test_no_segments_and_empty_ones_hold_nothing(tmp_path: Path) -> None:
    empty = write(tmp_path / "empty.seg", [])
    assert (
        search([], term("the")) == search([empty], term("the"), 5) == search([empty, empty], query.Every()) == []
    )


def test_a_pattern_is_told_as_the_terms_it_fits(segments: list[Segment]) -> None:
    assert expand(segments, query.Wildcard(FIELD, "par*er")) == ["parameter", "parser", "partner"]
    assert expand(segments, query.FuzzyTerm(FIELD, "funtion", maxdist=1)) == ["function"]
    assert expand(segments, query.Prefix(FIELD, "nothing")) == []
