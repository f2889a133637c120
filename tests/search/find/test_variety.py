"""A page of hits is not all alike where there is anything else."""

from __future__ import annotations

import pytest

from tests.search.find.past import Past
from tests.search.find.test_pages import entries, pages

pytestmark = pytest.mark.requirement("HIS-RANK")

LOG = (
    "Bundling all files for the upload took {0} ms, and {1} kB of them were written in {2} chunks, so that all is "
    "well again"
)


def test_what_is_all_alike_comes_after_what_is_not(past: Past) -> None:
    file = past.session()
    file.prompt("go")
    logs = [file.says(LOG.format(n, n * 7, n % 3)) for n in range(20)]
    other = [file.says(f"{words} " * 30 + "upload") for words in ("one thing", "another one", "a third")]
    found = pages(past, "upload", limit=5)
    assert set(other) < set(entries(found[:1]))
    assert sorted(entries(found)) == sorted([*logs, *other])


def test_a_page_is_filled_with_what_is_alike_where_there_is_nothing_else(past: Past) -> None:
    past.says(*(LOG.format(n, n * 7, n % 3) for n in range(12)))
    assert len(past.ask("upload").hits) == 10


def test_what_is_asked_for_by_time_stays_in_the_order_of_time(past: Past) -> None:
    said = past.says(*(LOG.format(n, n * 7, n % 3) for n in range(12)))
    assert past.entries("upload", newest=True, limit=12) == said[::-1]
