"""Several processes on one store, and processes killed at any moment: nothing acknowledged is lost."""

from __future__ import annotations

import json
import random
import sqlite3
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

from prune_mcp.storage.home import Home
from prune_mcp.storage.protocol import Store
from prune_mcp.storage.sqlite import open_store
from tests.storage.writing_process import COMMON, text

ROUNDS = 25
SCRIPT = Path(__file__).with_name("writing_process.py")
Acknowledged = list[tuple[str, int, str]]


def begin(place: Home, name: str, writes: int) -> subprocess.Popen[str]:
    """A writing process that waits for its line."""
    process = subprocess.Popen(
        [sys.executable, str(SCRIPT), str(place.data.parent), name, str(writes)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout
    assert process.stdout.readline() == "ready\n"
    return process


def let_go(process: subprocess.Popen[str]) -> None:
    assert process.stdin
    process.stdin.write("\n")
    process.stdin.flush()


def acknowledged_in(lines: Iterable[str]) -> Acknowledged:
    """What whole lines acknowledge; the last one may be torn."""
    return [
        (session, ref, mark) for line in lines if line.endswith("\n") for session, ref, mark in json.loads(line)
    ]


def killed(place: Home, name: str, chance: random.Random) -> Acknowledged:
    """What a process acknowledged that was killed at some moment of a write."""
    process = begin(place, name, -1)
    with process:
        assert process.stdout
        let_go(process)
        lines = [process.stdout.readline() for _ in range(chance.randrange(1, 8))]
        for _ in range(chance.randrange(150_000)):
            pass
        process.kill()
        lines += process.stdout.readlines()
    return acknowledged_in(lines)


def check_whole(store: Store, session: str) -> dict[str, int]:
    """Check that no record of a session names anything missing; returns the ref of each mark."""
    record = store.session(session)
    assert record
    outputs = store.outputs(session)
    assert [o.ref for o in outputs] == list(range(1, record.next_ref))
    refs = {}
    for output in outputs:
        mark = output.call_id.removeprefix("call-")
        assert store.body(output.sha) == text(mark).encode()
        refs[mark] = output.ref
    assert len(refs) == len(outputs)
    blocks = store.blocks(session)
    assert [block.number for block in blocks] == list(range(1, record.next_block))
    for block in blocks:
        assert store.body(block.document) == text(f"document {block.start} {block.text}").encode()
    for sha in store.facets(session).values():
        assert store.body(sha).startswith(b"args ")
    flushes = store.flushes(session)
    assert [flush.number for flush in flushes] == list(range(1, record.flushes + 1))
    assert record.frontier == max(flush.frontier for flush in flushes)
    return refs


def check_file(place: Home) -> None:
    """Check that SQLite itself finds nothing wrong."""
    connection = sqlite3.connect(place.data / "store.db")
    assert connection.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
    assert connection.execute("PRAGMA foreign_key_check").fetchall() == []
    connection.close()


@pytest.mark.requirement("REC-LAST")
def test_a_process_killed_at_any_moment_loses_nothing_it_acknowledged(place: Home) -> None:
    chance = random.Random(11)
    acknowledged: Acknowledged = []
    for number in range(ROUNDS):
        acknowledged += killed(place, str(number), chance)
        store = open_store(place)
        refs = {record.id: check_whole(store, record.id) for record in store.sessions()}
        store.close()
        assert [refs[session][mark] for session, _, mark in acknowledged] == [ref for _, ref, _ in acknowledged]
    assert len(acknowledged) > ROUNDS
    check_file(place)


@pytest.mark.parametrize("attempt", range(3))
def test_processes_that_write_at_once_lose_and_double_nothing(place: Home, attempt: int) -> None:
    processes = [begin(place, f"{attempt}-{number}", 25) for number in range(4)]
    for process in processes:
        let_go(process)
    said = [process.communicate()[0] for process in processes]
    assert [process.returncode for process in processes] == [0] * 4
    acknowledged = [each for lines in said for each in acknowledged_in(lines.splitlines(keepends=True))]
    store = open_store(place)
    refs = {record.id: check_whole(store, record.id) for record in store.sessions()}
    store.close()
    assert set(refs) == {COMMON, *(f"own-{attempt}-{number}" for number in range(4))}
    for session, ref, mark in acknowledged:
        assert refs[session][mark] == ref
    assert sum(map(len, refs.values())) == len({(session, mark) for session, _, mark in acknowledged})
    check_file(place)
