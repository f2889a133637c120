"""A transcript of each host to write into."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sessions.transcripts.writing import SESSION, ClaudeFile, PiFile


@pytest.fixture
def claude(tmp_path: Path) -> ClaudeFile:
    """An empty Claude Code transcript in a project folder."""
    return ClaudeFile(tmp_path / "projects" / "-home-user-app" / f"{SESSION}.jsonl")


@pytest.fixture
def pi(tmp_path: Path) -> PiFile:
    """A pi session of version 3 that holds only its header."""
    return PiFile(tmp_path / "sessions" / "--home-user-app--" / f"2026-01-01T00-00-00-000Z_{SESSION}.jsonl")
