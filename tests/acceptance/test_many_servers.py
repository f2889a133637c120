"""Servers and a command line on one index while sessions grow and processes are killed: nothing is lost."""

from __future__ import annotations

import sys

import pytest
from many_servers import Outcome, measure

SECONDS, EVERY = 8.0, 1.5

pytestmark = [
    pytest.mark.requirement("HIS-MANY", "HIS-FRESH"),
    pytest.mark.skipif(sys.platform == "win32", reason="what commands cost is measured by POSIX means"),
]


@pytest.fixture(scope="module")
def outcome(tmp_path_factory: pytest.TempPathFactory) -> Outcome:
    """What happened, and what the index holds in the end."""
    return measure(tmp_path_factory.mktemp("many"), SECONDS, EVERY)


def test_no_caller_gets_an_error_or_misses_what_was_written_while_others_are_killed(outcome: Outcome) -> None:
    assert outcome.told.faults == []
    assert outcome.told.found > 0
    assert outcome.told.kills.total() >= 3


def test_the_index_holds_in_the_end_what_one_made_from_scratch_holds(outcome: Outcome) -> None:
    assert (outcome.missing, outcome.added) == (0, 0)
    assert outcome.passages > outcome.needles
    assert outcome.status == outcome.expected
    assert sum(agent["gone"] for agent in outcome.status["agents"].values()) == 2


def test_every_needle_that_still_stands_or_went_with_its_file_is_found_once_in_the_end(outcome: Outcome) -> None:
    assert outcome.unfound == []
