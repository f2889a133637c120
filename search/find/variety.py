"""Variety: hits that are all alike, as the output of one command that ran again and again, make no good page."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable

from prune_mcp.search.find.matches import Match
from prune_mcp.search.find.question import Hit

# So many hits that are alike come among the others, and so many at most are put behind them.
ALIKE, PUT_BACK = 2, 50
# Short snippets may be alike and yet all there is.
_LONG = 100
_NUMBER = re.compile(r"[\W\d_]+")


def varied(
    matches: Iterable[Match], hit_of: Callable[[Match], Hit | None], limit: int, vary: bool
) -> tuple[list[Hit], list[Match]]:
    """The first `limit` hits, and the matches that come after them since too many of the hits are like them.

    Matches without a hit are left out. No more of `matches` is used up than it takes. Without `vary` none is put
    back.
    """
    shown: list[Hit] = []
    later: list[tuple[Match, Hit]] = []
    seen: Counter[tuple[str, ...]] = Counter()
    for match in matches:
        if hit := hit_of(match):
            shape = _shape(hit)
            seen[shape] += 1
            if vary and seen[shape] > ALIKE and len(hit.snippet) > _LONG and len(later) < PUT_BACK:
                later.append((match, hit))
            else:
                shown.append(hit)
        if len(shown) == limit:
            break
    missing = limit - len(shown)
    return [*shown, *(hit for _, hit in later[:missing])], [match for match, _ in later[missing:]]


def _shape(hit: Hit) -> tuple[str, ...]:
    """What hits that are alike have in common: all but their numbers."""
    return hit.session, hit.role, hit.tool, _NUMBER.sub(" ", hit.snippet)
