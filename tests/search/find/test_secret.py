"""Secrets: an entry is found by its other words, and the secret is nowhere in what a search tells or keeps."""

from __future__ import annotations

import pytest

from tests.search.find.past import Past

pytestmark = pytest.mark.requirement("HIS-SECRET")

KEY = (
    "sk-ant-api03-"
    + "aB3dE5fG7hI9jK1lM3nO5pQ7rS9tU1vW3xY5zA7bC9dE1fG3hI5jK7lM9nO1pQ3rS5tU7vW9xY1zA3bC5dE7fG9hI1jK3lM5nO7pQ-AA"
)


def test_a_passage_with_a_secret_is_found_by_its_other_words(past: Past) -> None:
    entry, _ = past.says(f"the needle is in {KEY} for now", "nothing")
    hit = past.only("needle")
    assert hit.entry == entry
    assert KEY not in hit.snippet
    assert "[secret:" in hit.snippet


@pytest.mark.parametrize("query", [KEY, f'"{KEY}"', KEY[:40] + "*", KEY.rpartition("-")[0].rpartition("-")[2]])
def test_a_secret_is_not_found(past: Past, query: str) -> None:
    past.says(f"the needle is in {KEY} for now", "nothing")
    assert past.ask(query).hits == []


def test_no_secret_is_kept_with_results_or_read(past: Past) -> None:
    entry, *_ = past.says(*(f"needle number{n} in {KEY}" for n in range(30)))
    hit = past.ask("needle", limit=1).hits[0]
    for path in past.machine.index.paths.searches.iterdir():
        assert KEY.encode() not in path.read_bytes()
    assert KEY not in past.read(hit.ref, around=5).entries[0].text
    assert KEY not in past.read(f"{entry}@{hit.session}").entries[0].text
