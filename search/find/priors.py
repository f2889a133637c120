"""What a passage weighs before a question is asked: how recent it is, and who speaks."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache

from prune_mcp.search.rows import ABANDONED, ECHO
from prune_mcp.sessions.passage import SPEAKERS

# A passage's age halves a part of its score every so many days; the rest stays.
HALVED_AFTER, STAYS = 60.0, 0.7
ROLES = {
    "user": 1.0,
    "assistant": 1.0,
    "thinking": 0.85,
    "call": 0.8,
    "result": 0.8,
    "summary": 0.5,
    "title": 0.9,
    "machine": 0.4,
}
ABANDONED_WEIGHT, ECHO_WEIGHT = 0.8, 0.01

# Seconds; times have 32 bits.
DAY = 86_400
_LAST_DAY = (1 << 32) // DAY + 1


def day(time: float) -> int:
    """The place of a time, in seconds since the epoch, among `recencies`."""
    return int(min(max(time, 0.0) // DAY, _LAST_DAY - 1))


def recencies(now: float) -> Sequence[float]:
    """What a passage's age leaves of its score, by its day since the epoch. `now`: in seconds since then."""
    return _recencies(min(int(now) // DAY, _LAST_DAY))


@lru_cache(maxsize=2)
def _recencies(today: int) -> Sequence[float]:
    past = [STAYS + (1 - STAYS) * 0.5 ** ((today - each) / HALVED_AFTER) for each in range(today)]
    return past + [1.0] * (_LAST_DAY - today)


def _prior(role: str, flags: int) -> float:
    weight = ROLES[role]
    if flags & ABANDONED:
        weight *= ABANDONED_WEIGHT
    return weight * ECHO_WEIGHT if flags & ECHO else weight


# What who speaks leaves of a score, by the role's number and the flags.
PRIORS = [_prior(role, flags) for role in SPEAKERS for flags in range(16)]
