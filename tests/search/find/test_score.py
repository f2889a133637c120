"""The scores by which documents are ranked: the shortcuts taken find what working out every score finds."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import log
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from prune_mcp.search.find import priors, score
from prune_mcp.search.find.score import Open, Scorer
from prune_mcp.search.find.sought import Sought
from prune_mcp.search.rows import ECHO, Row
from prune_mcp.search.segments.lengths import LENGTHS, length_code
from prune_mcp.search.segments.segment import Segment
from prune_mcp.sessions.passage import SPEAKERS
from tests.search.segments.build import Document, write

pytestmark = pytest.mark.requirement("HIS-RANK")

DAY = 86_400
NOW = 1_767_355_200
MONTHS = {"2025-12": NOW - 20 * DAY, "2025-08": NOW - 140 * DAY, "2024-01": NOW - 720 * DAY}
TERMS = ["rare", "some", "often", "always"]
ROWS = st.builds(
    Row,
    source=st.just(1),
    role=st.integers(0, len(SPEAKERS) - 1),
    tool=st.just(0),
    flags=st.sampled_from([0, 0, 0, 1, ECHO]),
    time=st.integers(0, 9).map(lambda days: days * DAY),
    copy=st.just(0),
    frame=st.just(0),
    slot=st.just(0),
)
COUNTS = st.dictionaries(st.sampled_from([*TERMS, "other"]), st.sampled_from([1, 1, 2, 7, 400]), min_size=1)
DOCUMENTS = st.lists(st.tuples(ROWS, COUNTS), min_size=1, max_size=25)


def worked_out(sought: Sequence[Sought], documents: Sequence[Document], docs: int, average: int) -> list[float]:
    """The score of each document, as the formula has it."""
    return [_score(sought, row, counts, docs, average) for row, counts in documents]


def _score(sought: Sequence[Sought], row: Row, counts: Mapping[str, int], docs: int, average: int) -> float:
    length = LENGTHS[length_code(sum(counts.values()))]
    fit: float = 0.0
    for each in sought:
        often = min(counts.get(each.term, 0), 24)
        idf = log(1 + (docs - each.docs + 0.5) / (each.docs + 0.5))
        fit += idf * often * 2.2 / (often + 1.2 * (0.25 + 0.75 * length / average)) if often else 0.0
    if len(sought) > 1 and all(each.term in counts for each in sought):
        fit *= score.COMPLETE
    days = (NOW // DAY) - row.time // DAY
    recency: float = priors.STAYS + (1 - priors.STAYS) * 0.5 ** (days / priors.HALVED_AFTER)
    prior: float = priors._prior(SPEAKERS[row.role], row.flags)
    return fit * prior * recency


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    months=st.lists(DOCUMENTS, min_size=3, max_size=3),
    asked=st.lists(st.sampled_from(TERMS), min_size=1, unique=True),
    most=st.integers(1, 12),
    masked=st.booleans(),
)
def test_the_best_are_those_that_every_score_worked_out_tells(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    months: list[list[Document]],
    asked: list[str],
    most: int,
    masked: bool,
) -> None:
    monkeypatch.setattr(score, "_MANY", 1)
    opened: list[Open] = []
    documents: list[Document] = []
    for order, (shard, begins) in enumerate(MONTHS.items()):
        held = [(row._replace(time=row.time + begins), counts) for row, counts in months[order]]
        segment = write(tmp_path / f"{shard}.seg", held)
        mask = bytes(n % 3 > 0 for n in range(segment.docs)) if masked else None
        opened.append(Open(order, shard, segment, mask))
        documents += [document for n, document in enumerate(held) if mask is None or mask[n]]
    segments: list[Segment] = [each.segment for each in opened]
    sought = [Sought(n, (term,), [(term,)], needs=[(term,)]) for n, term in enumerate(asked)]
    for each in sought:
        each.count(segments)
    docs, length = sum(one.docs for one in segments), sum(one.total_length for one in segments)
    found = Scorer(sought, docs, length, NOW).best(opened, most)
    scores = worked_out(sought, documents, docs, max(1, round(length / docs)))
    expected = sorted((one for one in scores if one > 0), reverse=True)[:most]
    assert [one.score for one in found] == pytest.approx(expected)


def test_a_common_word_finds_nothing_by_itself_beside_enough_of_rarer_ones(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(score, "COMMON", 10)
    monkeypatch.setattr(score, "ENOUGH", 3)
    row = Row(1, 0, 0, 0, NOW, 0, 0, 0)
    rare = [(row, {"rare": 1, "often": n % 2 + 1, "other": 3}) for n in range(3)]
    documents: list[Document] = [*rare, *((row, {"often": 1}) for _ in range(20)), *[(row, {"other": 1})] * 80]
    opened = [Open(0, "2026-01", write(tmp_path / "one.seg", documents), None)]
    sought = [Sought(n, (term,), [(term,)], needs=[(term,)]) for n, term in enumerate(("rare", "often"))]
    for each in sought:
        each.count([opened[0].segment])
    found = Scorer(sought, 103, opened[0].segment.total_length, NOW).best(opened, 50)
    assert found[0].doc == 1
    assert {one.doc for one in found} == {0, 1, 2}
    assert len(Scorer(sought[1:], 103, opened[0].segment.total_length, NOW).best(opened, 50)) == 23
