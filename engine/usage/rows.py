"""Slices added up to rows: categories, each with its parts, the largest first."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable

from prune_mcp.engine.usage.answer import Part, Row
from prune_mcp.engine.usage.slices import ALL, LABELS, Slice
from prune_mcp.engine.usage.speakers import OTHER

# Parts shown under one row; the rest are counted.
SHOWN = 30


def rows(slices: Iterable[Slice]) -> list[Row]:
    """The rows that these slices add up to; each token of theirs is in exactly one part of one row."""
    parts: dict[str, dict[str, Part]] = defaultdict(dict)
    for one in slices:
        part = parts[one.category].setdefault(one.name, Part(one.name, 0))
        part.tokens += one.tokens
        part.count += 1
    return by_weight(row(category, list(named.values())) for category, named in parts.items())


def row(category: str, parts: list[Part]) -> Row:
    """The row of a category. Where nothing tells its parts apart, none are shown."""
    ordered = sorted(parts, key=lambda part: (-part.tokens, part.name))
    plain = len(ordered) == 1 and ordered[0].name in (ALL, OTHER)
    rest = ordered[SHOWN:]
    return Row(
        category,
        LABELS[category],
        sum(part.tokens for part in parts),
        sum(part.count for part in parts),
        parts=[] if plain else ordered[:SHOWN],
        more=len(rest),
        more_tokens=sum(part.tokens for part in rest),
    )


def by_weight(found: Iterable[Row]) -> list[Row]:
    """The rows that hold anything, the largest first."""
    order = list(LABELS)
    return sorted((one for one in found if one.tokens), key=lambda one: (-one.tokens, order.index(one.category)))
