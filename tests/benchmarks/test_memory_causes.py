"""What makes memory grow with a transcript is what is kept per entry: the kept bytes are counted."""

from __future__ import annotations

import gc
import tracemalloc
from pathlib import Path

import ours
import pytest
from generate import write_transcript

SMALL, LARGE = 3_000_000, 9_000_000

# 200 MB for 250 MB of transcript is 0.8 bytes for each; the interpreter's own overhead needs its share.
MOST_BYTES_KEPT_PER_BYTE = 0.5


def peak(size: int, folder: Path) -> int:
    """The peak of traced memory while a generated transcript is pruned."""
    folder.mkdir()
    path = folder / "session.jsonl"
    write_transcript(path, size)
    engine = ours.engine(folder / "store")
    gc.collect()
    tracemalloc.start()
    try:
        engine.prune_transcript(path)
        return tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
        engine.close()


@pytest.mark.requirement("SES-STREAM")
def test_memory_grows_by_less_than_half_of_what_a_transcript_grows(tmp_path: Path) -> None:
    small = peak(SMALL, tmp_path / "small")
    large = peak(LARGE, tmp_path / "large")
    assert (large - small) / (LARGE - SMALL) < MOST_BYTES_KEPT_PER_BYTE
