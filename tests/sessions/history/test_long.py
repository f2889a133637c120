"""Long sessions are told in memory that grows far more slowly than they do."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest

from prune_mcp.sessions.stretches import HELD
from tests.sessions.history.told import history
from tests.sessions.transcripts.writing import ClaudeFile, tool_use

pytestmark = pytest.mark.requirement("SES-STREAM")
MB = 1 << 20


def long_session(path: Path, exchanges: int) -> Path:
    """Exchanges of a call with about 100 kB of output."""
    file = ClaudeFile(path)
    for number in range(exchanges):
        file.prompt(f"question {number}")
        file.says(f"looking {number}", tool_use(f"t{number}", "Read", path=f"src/{number}.py"))
        file.result(f"t{number}", f"line {number} of output\n" * 5000)
        file.says(f"answer {number}")
    return file.path


def test_only_so_much_text_is_held_at_once(tmp_path: Path) -> None:
    path = long_session(tmp_path / "s.jsonl", 300)
    assert path.stat().st_size > 3 * HELD
    tracemalloc.start()
    try:
        found = history(path)
        told = sum(len(passage.text) for passage in found.passages())
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()

    assert told > 3 * HELD
    assert peak < HELD + 8 * MB, f"{peak >> 20} MB"


def test_texts_that_are_no_longer_held_are_told_from_the_file(tmp_path: Path) -> None:
    path = long_session(tmp_path / "s.jsonl", 120)
    found = history(path)
    told = [passage.text for passage in [*found.passages(), *found.rest()]]

    assert len(told) == 5 * 120
    for number in range(120):
        assert told[5 * number : 5 * number + 5] == [
            f"question {number}",
            f"looking {number}",
            f"path: src/{number}.py",
            f"line {number} of output\n" * 5000,
            f"answer {number}",
        ]
