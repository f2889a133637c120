"""Cells dealt out by weight: how many squares of a map each share of a whole gets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence


def squares(weights: Sequence[int], cells: int) -> list[int]:
    """So many cells dealt out by the largest remainder, yet at least one to each that weighs anything.

    Of more weights than cells the smallest get none.
    """
    dealt = [0] * len(weights)
    left = sorted((n for n, weight in enumerate(weights) if weight > 0), key=lambda n: -weights[n])[:cells]
    exact = _exact(weights, left, cells)
    while small := [n for n in left if exact[n] < 1]:
        for n in small:
            dealt[n] = 1
            left.remove(n)
        cells -= len(small)
        exact = _exact(weights, left, cells)
    for n in left:
        dealt[n] = int(exact[n])
        cells -= dealt[n]
    for n in sorted(left, key=lambda n: dealt[n] - exact[n])[:cells]:
        dealt[n] += 1
    return dealt


def _exact(weights: Sequence[int], which: Sequence[int], cells: int) -> Mapping[int, float]:
    """The exact share of the cells that each of these weights has."""
    total = sum(weights[n] for n in which)
    return {n: weights[n] * cells / total for n in which}
