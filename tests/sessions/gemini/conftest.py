"""A session file to write into."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sessions.gemini.writing import GeminiFile


@pytest.fixture
def gemini(tmp_path: Path) -> GeminiFile:
    """A session file of lines, still to be written."""
    return GeminiFile(tmp_path)


@pytest.fixture
def old(tmp_path: Path) -> GeminiFile:
    """A session file of the old form, still to be written."""
    return GeminiFile(tmp_path, ending="json")
