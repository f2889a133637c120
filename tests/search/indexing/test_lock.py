"""One process at a time writes; whoever waits is seen, and the lock of one that dies is free."""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest

from prune_mcp.search.indexing.lock import WriterBusy, WriterLock
from tests.search.indexing.machine import Machine, assert_complete, filled, rest

HOLD = """
import sys
from pathlib import Path
from prune_mcp.search.indexing.lock import WriterLock
lock = WriterLock(Path(sys.argv[1]))
lock.take("holding on")
print("taken", flush=True)
sys.stdin.readline()
"""


@pytest.fixture
def holder(tmp_path: Path) -> Iterator[subprocess.Popen[str]]:
    """Another process that holds the lock of the history in `tmp_path`."""
    pipe = subprocess.PIPE
    command = [sys.executable, "-c", HOLD, str(tmp_path)]
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True) as process:
        assert process.stdout
        assert process.stdout.readline() == "taken\n"
        yield process
        process.kill()


@pytest.mark.requirement("HIS-MANY")
def test_a_second_writer_is_told_who_has_the_lock(tmp_path: Path, holder: subprocess.Popen[str]) -> None:
    lock = WriterLock(tmp_path)
    assert lock.holder().startswith(f"Process {holder.pid} is holding on since ")
    with pytest.raises(WriterBusy, match=f"Process {holder.pid} is holding on"):
        lock.take("trying")


@pytest.mark.requirement("HIS-MANY")
def test_the_lock_of_a_process_that_was_killed_is_free(tmp_path: Path, holder: subprocess.Popen[str]) -> None:
    holder.kill()
    holder.wait()
    with WriterLock(tmp_path) as lock:
        lock.take("going on")
        assert "going on" in lock.holder()
    assert lock.holder() == ""


@pytest.mark.requirement("HIS-MANY")
def test_a_writer_that_waits_gets_its_turn_from_an_indexing_that_is_at_work(machine: Machine) -> None:
    for number in range(1, 9):
        rest(filled(machine, number).path)
    history = machine.index.paths.history
    waiter = WriterLock(history)
    got = threading.Event()

    def wait() -> None:
        with waiter:
            waiter.take("waiting", 60.0)
            got.set()

    thread = threading.Thread(target=wait)

    def begin(progress: object) -> None:
        # Not before the indexing has the lock; from then on it goes on only until the other is seen to wait.
        if not thread.is_alive() and not got.is_set():
            thread.start()
            while not waiter.wanted():
                pass

    report = machine.update(progress=begin)
    thread.join()
    assert got.is_set()
    assert report.left > 0
    assert_complete(machine.index, machine.files())
