"""A folder of Codex, and rollouts in it to write into."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sessions.codex.writing import Rollout, rollout_path


@pytest.fixture
def codex_home(tmp_path: Path) -> Path:
    """An empty folder of Codex."""
    folder = tmp_path / ".codex"
    folder.mkdir()
    return folder


@pytest.fixture
def rollout(codex_home: Path) -> Rollout:
    """A rollout that holds only its header."""
    return Rollout(rollout_path(codex_home))


@pytest.fixture
def flat(codex_home: Path) -> Rollout:
    """A rollout of the old form that holds only its header."""
    return Rollout(rollout_path(codex_home, folder="sessions"), bare=True)


@pytest.fixture(params=["rollout", "flat"])
def either(request: pytest.FixtureRequest) -> Rollout:
    """A rollout of each form."""
    written: Rollout = request.getfixturevalue(request.param)
    return written
