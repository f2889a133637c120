"""What is a word with slips, and that all such terms of an index are found without comparing each."""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from prune_mcp.search.find.slips import slipped, with_slips
from tests.search.segments.build import row, write

WORDS = st.text("abc", min_size=5, max_size=11)


def slips(word: str, term: str) -> int:
    """How many letters are too many, missing, others or swapped with their neighbour, at least."""

    @cache
    def best(m: int, n: int) -> int:
        if not m or not n:
            return m + n
        ways = [best(m - 1, n) + 1, best(m, n - 1) + 1, best(m - 1, n - 1) + (word[m - 1] != term[n - 1])]
        if m > 1 and n > 1 and word[m - 2 : m] == term[n - 1] + term[n - 2]:
            ways.append(best(m - 2, n - 2) + 1)
        return min(ways)

    return best(len(word), len(term))


@given(WORDS, st.lists(WORDS, max_size=30), st.integers(1, 2))
def test_every_term_with_few_slips_is_found_and_no_other(word: str, terms: list[str], most: int) -> None:
    known = {word[:1] + term for term in terms}
    with tempfile.TemporaryDirectory() as folder:
        segment = write(Path(folder) / "one.seg", [(row(), dict.fromkeys(known, 1))] * 2 if known else [])
        expected = {term for term in known if slips(word[1:], term[1:]) <= most}
        assert with_slips(word, [segment], most) == dict.fromkeys(expected, 2)


@pytest.mark.parametrize(
    ("term", "most"), [("upload", 0), ("uplod", 1), ("uplaod", 1), ("uplloads", 2), ("ulpaod", 2)]
)
def test_a_slip_is_a_letter_more_or_less_or_another_or_two_swapped(term: str, most: int) -> None:
    assert slipped("upload", term, most)
    assert not most or not slipped("upload", term, most - 1)
    assert not slipped("xpload", term, most)
