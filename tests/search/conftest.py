"""A machine of each test's own."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.search.indexing.machine import Machine


@pytest.fixture
def machine(tmp_path: Path) -> Iterator[Machine]:
    """A machine without sessions."""
    machine = Machine(tmp_path)
    yield machine
    machine.close()
