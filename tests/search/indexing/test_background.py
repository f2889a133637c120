"""The child process that indexes does so quietly, once at a time, and ends with whoever started it."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from prune_mcp.engine.background_indexing import WORTH_INDEXING
from prune_mcp.engine.past import PastSessions, Question
from prune_mcp.search.indexing.background import Background
from prune_mcp.search.indexing.lock import WriterLock
from tests.search.indexing.machine import Machine, assert_complete, filled, rest

LONG = 60.0


@pytest.fixture
def child(machine: Machine) -> Iterator[Background]:
    """A child process for the sessions of the machine, not started yet."""
    child = Background({**os.environ, **machine.env})
    yield child
    child.close()


@pytest.mark.requirement("HIS-FRESH", "HIS-MANY")
def test_what_is_pending_is_indexed_by_the_child(machine: Machine, child: Background) -> None:
    assert not child.running
    assert child.wait(0)
    for number in range(3):
        rest(filled(machine, number + 1).path)
    child.start()
    assert child.wait(LONG)
    assert not child.running
    assert machine.index.pending(machine.files()) == []
    assert_complete(machine.index, machine.files())
    rest(filled(machine, 9).path)
    child.start()
    assert child.wait(LONG)
    assert machine.index.pending(machine.files()) == []


def test_a_second_start_leaves_the_first_child_at_its_work(
    machine: Machine, child: Background, monkeypatch: pytest.MonkeyPatch
) -> None:
    started = []
    popen = subprocess.Popen

    def count(*words: Any, **how: Any) -> subprocess.Popen[bytes]:
        started.append(words)
        return popen(*words, **how)

    monkeypatch.setattr(subprocess, "Popen", count)
    monkeypatch.setattr(Background, "running", property(lambda self: bool(started)))
    child.start()
    child.start()
    assert len(started) == 1


def test_the_child_ends_when_its_owner_does(machine: Machine) -> None:
    for number in range(30):
        rest(filled(machine, number + 1).path)
    command = [sys.executable, "-P", "-m", "prune_mcp.search.indexing.background"]
    env = {**os.environ, **machine.env}
    # Its standard input ends before it has begun: it does not begin, or stops at once.
    done = subprocess.run(command, env=env, stdin=subprocess.DEVNULL, capture_output=True, timeout=LONG)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert len(machine.index.pending(machine.files())) == 30
    assert_complete(machine.index, machine.files())


def test_the_child_leaves_it_to_another_process_that_is_indexing(machine: Machine, child: Background) -> None:
    rest(filled(machine, 1).path)
    with WriterLock(machine.index.paths.history) as lock:
        lock.take("indexing")
        child.start()
        assert child.wait(LONG)
    assert len(machine.index.pending(machine.files())) == 1


def test_closing_ends_the_child_and_nothing_is_torn(machine: Machine, child: Background) -> None:
    for number in range(30):
        rest(filled(machine, number + 1).path)
    child.start()
    child.close()
    assert not child.running
    assert_complete(machine.index, machine.files())


def test_where_no_child_can_be_started_a_search_answers_and_says_so(
    machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    session = machine.session(1)
    session.prompt("a needle")
    session.says("straw " * WORTH_INDEXING)
    rest(session.path)
    monkeypatch.setattr(sys, "executable", str(tmp_path / "moved"))
    past = PastSessions(machine.env)
    found = past.search(Question("needle"))
    past.close()
    assert len(found.hits) == 1
    assert [note for note in found.notes if "No such file" in note and "prune-mcp index" in note] != []
