"""Cells of a map dealt out by weight."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from prune_mcp.server.terminal.squares import squares


@given(st.lists(st.integers(0, 10**7), min_size=1, max_size=15), st.integers(1, 300))
def test_every_cell_is_dealt_out_and_whatever_weighs_anything_gets_one(weights: list[int], cells: int) -> None:
    dealt = squares(weights, cells)
    weighing = sum(weight > 0 for weight in weights)
    assert sum(dealt) == (cells if weighing else 0)
    assert sum(count > 0 for count in dealt) == min(weighing, cells)
    assert not any(count for weight, count in zip(weights, dealt, strict=True) if weight == 0)


@given(st.lists(st.integers(1, 10**7), min_size=1, max_size=15), st.integers(20, 300))
def test_more_weight_never_gets_fewer_cells(weights: list[int], cells: int) -> None:
    dealt = squares(weights, cells)
    by_weight = [count for _, count in sorted(zip(weights, dealt, strict=True))]
    assert by_weight == sorted(by_weight)


@given(st.lists(st.integers(1, 10**7), min_size=1, max_size=15), st.integers(20, 300))
def test_shares_of_a_cell_or_more_are_off_by_less_than_one_but_for_what_the_least_ones_took(
    weights: list[int], cells: int
) -> None:
    dealt, total = squares(weights, cells), sum(weights)
    exact = [weight * cells / total for weight in weights]
    if min(exact) >= 1:
        assert all(abs(count - share) < 1 for count, share in zip(dealt, exact, strict=True))


def test_remainders_decide_who_gets_the_last_cells() -> None:
    assert squares([50, 30, 20], 10) == [5, 3, 2]
    assert squares([45, 29, 26], 10) == [4, 3, 3]
    assert squares([10_000, 1, 0], 10) == [9, 1, 0]
    assert squares([1, 1, 1], 2) == [1, 1, 0]
