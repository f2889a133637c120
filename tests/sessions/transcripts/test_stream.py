"""Long transcripts are read in memory that grows far more slowly than they do."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest

from prune_mcp.sessions.reader import Reader
from prune_mcp.sessions.transcript import open_transcript
from prune_mcp.sessions.view import View
from tests.sessions.transcripts.reading import outputs
from tests.sessions.transcripts.writing import ClaudeFile, tool_use

MB = 1 << 20


def long_transcript(path: Path, megabytes: int) -> Path:
    """A transcript as long sessions are: progress lines, small outputs and a few large ones, compactions."""
    file = ClaudeFile(path)
    unit = folder_of_turns(path.parent)
    with path.open("ab") as out:
        for number in range(megabytes * MB // len(unit) + 1):
            out.write(unit.replace(b"0000-4000-8000", b"%04x-4000-8000" % number))
    return file.path


def folder_of_turns(folder: Path) -> bytes:
    """About a megabyte of one session."""
    file = ClaudeFile(folder / "unit" / "unit.jsonl")
    file.prompt("go")
    for number in range(200):
        file.says("Looking.", id=f"m{number}")
        file.says(tool_use(f"t{number}", "Read", path=f"src/{number}.py"), id=f"m{number}")
        for _ in range(3):
            file.entry("progress", data={"type": "hook_progress", "command": "x" * 200})
        file.result(f"t{number}", "line of output\n" * (600 if number % 10 == 0 else 20))
    file.compact()
    return file.path.read_bytes()


def peak_of_reading(path: Path, cache: int) -> tuple[Reader, int]:
    """The transcript, and the most memory that reading it held at once, in bytes."""
    tracemalloc.start()
    try:
        transcript = open_transcript(path, cache=cache)
        return transcript, tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


@pytest.mark.requirement("SES-STREAM")
def test_memory_stays_bounded_while_a_long_transcript_is_read(tmp_path: Path) -> None:
    short, small = peak_of_reading(long_transcript(tmp_path / "short" / "s.jsonl", 8), 0)
    long, large = peak_of_reading(long_transcript(tmp_path / "long" / "s.jsonl", 20), 0)

    # Both have many more entries than stay objects. Each takes some 280 bytes, a fifth of that for the id of the
    # progress line that comes with it. 250 MB have 70,000 entries, or 250,000 of a kilobyte each.
    entries = len(long.entries) - len(short.entries)
    assert entries > 6000
    assert (large - small) / entries < 400, f"{(large - small) / entries:.0f} bytes held for each entry"


@pytest.mark.requirement("SES-STREAM")
def test_texts_at_hand_take_no_more_than_allowed(tmp_path: Path) -> None:
    path = long_transcript(tmp_path / "s.jsonl", 10)
    _, without = peak_of_reading(path, 0)
    _, with_cache = peak_of_reading(path, 4 * MB)

    assert with_cache - without < 8 * MB


@pytest.mark.requirement("SES-STREAM")
def test_texts_no_longer_at_hand_are_read_from_the_file(tmp_path: Path) -> None:
    path = long_transcript(tmp_path / "s.jsonl", 3)
    transcript = open_transcript(path, cache=0)

    assert outputs(transcript) == outputs(open_transcript(path))
    assert set(map(len, outputs(transcript))) == {15 * 600, 15 * 20}
    tracemalloc.start()
    try:
        assert sum(1 for _ in transcript.render(View())) == len(transcript.messages)
        assert tracemalloc.get_traced_memory()[1] < 2 * MB
    finally:
        tracemalloc.stop()
