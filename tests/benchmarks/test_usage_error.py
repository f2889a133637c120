"""How the error of a context's estimate is measured."""

from __future__ import annotations

from pathlib import Path

import pytest
import usage_error

from prune_mcp.sessions.transcript import open_transcript
from tests.usage.whole import size
from tests.usage.writing import Claude, lines, text

pytestmark = pytest.mark.requirement("USE-ROWS")


def test_the_growth_since_the_first_count_is_compared() -> None:
    points = [(100, 20_000), (1_600, 22_000), (3_100, 24_000), (9_100, 24_000)]
    assert list(usage_error.growth_errors(points)) == [-25.0, -25.0, 125.0]


def test_little_growth_says_nothing() -> None:
    assert list(usage_error.growth_errors([(100, 20_000), (200, 20_000 + usage_error.LEAST - 1)])) == []


def test_a_session_counts_at_each_response_and_by_its_newest_one(tmp_path: Path) -> None:
    session = Claude().asks("Hello there, you.").says(text("Yes?"), prompt=10_000, output=1)
    session.asks(lines("more", 900)).says(text("Done."), prompt=20_000, output=1)
    errors = usage_error.Errors()
    usage_error.take(errors, open_transcript(session.write(tmp_path)))
    grown = size("Yes?") + size(lines("more", 900))
    assert errors.sessions == 1
    assert errors.growth == [pytest.approx(100 * (grown / 10_000 - 1))]
    assert errors.told == [pytest.approx(100 * (grown + size("Hello there, you.")) / 20_000)]


def test_a_session_that_tells_no_counts_is_none(tmp_path: Path) -> None:
    errors = usage_error.Errors()
    usage_error.take(errors, open_transcript(Claude().asks("Hi.").says(text("Yes?")).write(tmp_path)))
    assert errors.sessions == 0


def test_recorded_sessions_of_several_hosts_are_measured(shared_sessions: Path) -> None:
    found = usage_error.measured(shared_sessions)
    assert set(found) == {"claude-code", "codex", "gemini", "mini-swe-agent", "pi"}
    assert all(usage_error.told_row(format, errors)[1] for format, errors in found.items())
