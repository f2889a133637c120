"""Points in time as people write them."""

from __future__ import annotations

from datetime import UTC, datetime

import pytest

from prune_mcp.server.since import point_in_time

NOW = datetime(2026, 3, 4, 12, 30, tzinfo=UTC)


def at(year: int, month: int, day: int, hour: int = 0, minute: int = 0, second: int = 0) -> float:
    return datetime(year, month, day, hour, minute, second, tzinfo=UTC).timestamp()


@pytest.mark.parametrize(
    ("text", "start", "end"),
    [
        ("2026-03-01", at(2026, 3, 1), at(2026, 3, 1, 23, 59, 59)),
        ("2026-03-01T14:30", at(2026, 3, 1, 14, 30), at(2026, 3, 1, 14, 30)),
        ("2026-03-01T14:30:00+02:00", at(2026, 3, 1, 12, 30), at(2026, 3, 1, 12, 30)),
        ("today", at(2026, 3, 4), at(2026, 3, 4, 23, 59, 59)),
        ("yesterday", at(2026, 3, 3), at(2026, 3, 3, 23, 59, 59)),
        ("12h", at(2026, 3, 4, 0, 30), at(2026, 3, 4, 0, 30)),
        ("3 days ago", at(2026, 3, 1, 12, 30), at(2026, 3, 1, 12, 30)),
        ("2w", at(2026, 2, 18, 12, 30), at(2026, 2, 18, 12, 30)),
        ("90 min", at(2026, 3, 4, 11, 0), at(2026, 3, 4, 11, 0)),
    ],
)
def test_a_point_in_time_is_read_as_it_is_meant(text: str, start: float, end: float) -> None:
    assert point_in_time(text, NOW) == start
    assert point_in_time(text, NOW, end=True) == end


@pytest.mark.parametrize("text", ["soon", "", "2026-13-01", "h3", "999999999d", "3 parsecs"])
def test_what_is_none_is_refused_with_what_could_be_said(text: str) -> None:
    with pytest.raises(ValueError, match="give a date such as 2026-03-01"):
        point_in_time(text, NOW)
