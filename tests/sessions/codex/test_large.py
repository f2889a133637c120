"""Large rollouts are read in memory that grows far more slowly than they do."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import pytest

from prune_mcp.sessions.transcript import open_transcript
from tests.sessions.codex.writing import Rollout, rollout_path, shell
from tests.sessions.history.told import history

pytestmark = pytest.mark.requirement("SES-CODEX", "SES-STREAM")

MB = 1 << 20


def large(path: Path, megabytes: int) -> Rollout:
    """A rollout as long sessions are: many small outputs, some large ones, each told by an event as well."""
    rollout = Rollout(path)
    rollout.turn()
    rollout.prompt("go")
    begin = rollout.path.stat().st_size
    for number in range(300):
        text = "line of output\n" * (600 if number % 10 == 0 else 5)
        rollout.says(f"Looking at 0000-{number}.")
        rollout.call(f"c0000-{number}")
        rollout.event("exec_command_end", call_id=f"c0000-{number}", aggregated_output=text, exit_code=0)
        rollout.output(f"c0000-{number}", shell(text))
        rollout.event("token_count", info={"total_token_usage": {"total_tokens": number}})
    unit = rollout.path.read_bytes()[begin:]
    with rollout.path.open("ab") as file:
        for number in range(1, megabytes * MB // len(unit) + 1):
            file.write(unit.replace(b"0000-", b"%04d-" % number))
    return rollout


def peak(path: Path, telling: bool) -> tuple[int, int]:
    """How many entries or passages a rollout has, and the most memory that reading it held at once, in bytes."""
    tracemalloc.start()
    try:
        if telling:
            told = history(path)
            count = sum(1 for _ in told.passages()) + sum(1 for _ in told.rest())
        else:
            count = len(open_transcript(path, cache=0).entries)
        return count, tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


def test_a_conversation_takes_bytes_for_each_entry(codex_home: Path) -> None:
    few, small = peak(large(rollout_path(codex_home, folder="sessions/2026/01/01"), 6).path, telling=False)
    many, big = peak(large(rollout_path(codex_home), 14).path, telling=False)
    assert many - few > 8000
    assert (big - small) / (many - few) < 400, f"{(big - small) / (many - few):.0f} bytes held for each entry"


@pytest.mark.parametrize("packed", [False, True])
def test_a_history_holds_no_more_than_some_texts(codex_home: Path, packed: bool) -> None:
    rollout = large(rollout_path(codex_home), 20)
    count, most = peak(rollout.packed() if packed else rollout.path, telling=True)
    assert count > 8000
    assert most < 40 * MB, f"{most / MB:.0f} MB held"
