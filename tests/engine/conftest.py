"""A transcript to prune."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.sessions.transcripts.writing import ClaudeFile


@pytest.fixture
def session(tmp_path: Path) -> ClaudeFile:
    """A Claude Code transcript in its project's folder, still empty."""
    return ClaudeFile(tmp_path / "user/.claude/projects/-home-user-app/5e551014-0000-4000-8000-000000000001.jsonl")
