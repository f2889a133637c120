"""Every answer is asked for twice: of the index, and of sessions that are not indexed yet."""

from __future__ import annotations

import pytest

from tests.search.find.past import Past
from tests.search.indexing.machine import Machine


@pytest.fixture(params=["indexed", "scanned"])
def past(machine: Machine, request: pytest.FixtureRequest) -> Past:
    """Past sessions, indexed or not."""
    return Past(machine, request.param == "indexed")


@pytest.fixture
def indexed(machine: Machine) -> Past:
    """Past sessions that are indexed."""
    return Past(machine, True)


@pytest.fixture
def scanned(machine: Machine) -> Past:
    """Past sessions that are not indexed."""
    return Past(machine, False)
