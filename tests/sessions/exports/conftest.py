"""A folder to import into."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sessions.exports.build import Imports


@pytest.fixture
def imports(tmp_path: Path) -> Imports:
    """An empty folder of imports."""
    return Imports(tmp_path)
