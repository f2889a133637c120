"""What makes memory grow with a transcript is counted: texts that are held, and what is kept of each entry."""

from __future__ import annotations

import gc
import json
import tracemalloc
from collections.abc import Callable
from functools import partial
from pathlib import Path

import ours
import pytest
from generate import write_transcript

from prune_mcp.sessions.transcript import open_transcript

OUTPUTS = 300
OUTPUT_CHARS = 150_000

# Contents read lately, outputs waiting for their write, and what the interpreter needs while it handles them.
MOST_TEXT_HELD = OUTPUTS * OUTPUT_CHARS // 2

# 250 MB hold some 68,000 entries in context; at this size they take half of the 200 MB that are allowed.
MOST_KEPT_PER_ENTRY = 1500


def traced(work: Callable[[], object]) -> tuple[int, int]:
    """The memory that is kept once `work` is done, while its result is held, and the peak before, in bytes."""
    gc.collect()
    tracemalloc.start()
    try:
        result = work()
        kept, peak = tracemalloc.get_traced_memory()
        del result
        return kept, peak
    finally:
        tracemalloc.stop()


def write_outputs(path: Path, chars: int) -> None:
    """Write a session of one exchange with `OUTPUTS` outputs of so many characters, no two alike."""
    ids = iter(range(10 * OUTPUTS))
    parent: str | None = None
    with path.open("w", encoding="utf-8") as file:

        def write(kind: str, content: object) -> None:
            nonlocal parent
            uuid = f"entry-{next(ids)}"
            message = {"role": kind, "id": f"message-{uuid}", "content": content}
            entry = {"type": kind, "uuid": uuid, "parentUuid": parent, "sessionId": "outputs", "message": message}
            file.write(json.dumps(entry) + "\n")
            parent = uuid

        write("user", "read them all")
        for number in range(OUTPUTS):
            call = {"type": "tool_use", "id": f"toolu_{number}", "name": "Bash", "input": {"command": "cat"}}
            write("assistant", [call])
            text = (f"{number} " + "all is well and nothing happened\n" * (chars // 32 + 1))[:chars]
            write("user", [{"type": "tool_result", "tool_use_id": call["id"], "content": text}])


def prune_peak(chars: int, folder: Path) -> int:
    """The peak of traced memory while a session with outputs of so many characters is pruned."""
    folder.mkdir()
    path = folder / "session.jsonl"
    write_outputs(path, chars)
    engine = ours.engine(folder / "store")
    try:
        return traced(lambda: engine.prune_transcript(path))[1]
    finally:
        engine.close()


@pytest.mark.requirement("SES-STREAM")
def test_pruning_holds_a_bounded_part_of_the_outputs_at_a_time(tmp_path: Path) -> None:
    prune_peak(100, tmp_path / "warm")
    small = prune_peak(1000, tmp_path / "small")
    large = prune_peak(OUTPUT_CHARS, tmp_path / "large")
    assert large - small < MOST_TEXT_HELD


@pytest.mark.requirement("SES-STREAM")
def test_reading_keeps_little_of_each_entry(tmp_path: Path) -> None:
    small, large = tmp_path / "small.jsonl", tmp_path / "large.jsonl"
    write_transcript(small, 3_000_000)
    write_transcript(large, 8_000_000)
    entries = [len(open_transcript(path).entries) for path in (small, large)]
    kept = [traced(partial(open_transcript, path, cache=0))[0] for path in (small, large)]
    assert (kept[1] - kept[0]) / (entries[1] - entries[0]) < MOST_KEPT_PER_ENTRY
