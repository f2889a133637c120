"""Several processes index and read one history while its sessions grow; any may be killed at any moment."""

from __future__ import annotations

import random
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from prune_mcp.search.index import Index
from prune_mcp.search.indexing.indexer import Indexer
from tests.search.indexing.machine import Machine, all_rows, assert_complete, by_index, filled, rest

ROOT = Path(__file__).parents[3]
ROUNDS = 6


class Living:
    """A process of `living_process`."""

    def __init__(self, folder: Path, what: str, number: int) -> None:
        command = [sys.executable, "-m", "tests.search.indexing.living_process", str(folder), what, str(number)]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(
            command, cwd=ROOT, stdin=pipe, stdout=pipe, stderr=pipe, text=True, encoding="utf-8"
        )

    def said(self, lines: int) -> list[str]:
        """The next lines that it says."""
        assert self._process.stdout
        said = [self._process.stdout.readline() for _ in range(lines)]
        if not said[-1]:
            pytest.fail(self._process.communicate()[1])
        return said

    def kill(self) -> None:
        """Kill it at once."""
        self._process.kill()
        self._process.communicate()

    def end(self) -> list[str]:
        """Let it finish what it is at; returns what it said that nobody read."""
        said, complaint = self._process.communicate()
        assert complaint == ""
        assert self._process.returncode == 0
        return said.splitlines()


@contextmanager
def living(folder: Path, what: str, number: int) -> Iterator[Living]:
    """Such a process, ended in the end."""
    process = Living(folder, what, number)
    try:
        yield process
    finally:
        process.kill()


@pytest.mark.requirement("HIS-MANY", "HIS-FRESH")
def test_processes_that_index_read_and_are_killed_lose_nothing_and_block_nobody(
    tmp_path: Path, machine: Machine
) -> None:
    chance = random.Random(3)
    worked = 0
    with ExitStack() as stack:
        growing = [stack.enter_context(living(tmp_path, "grow", number)) for number in (1, 2)]
        reading = [stack.enter_context(living(tmp_path, "read", number)) for number in (1, 2)]
        for number in range(ROUNDS):
            # The one that is killed first leaves the lock to the other, if it had it.
            with living(tmp_path, "index", number) as second, living(tmp_path, "index", 99 - number) as first:
                said = first.said(chance.randrange(2, 20))
                said += second.said(chance.randrange(2, 20))
                worked += sum(line.startswith("at ") for line in said)
            for process in (*reading, *growing):
                process.said(2)
        for process in (*growing, *reading):
            process.end()
    assert worked > ROUNDS
    check(machine, tmp_path)


def check(machine: Machine, folder: Path) -> None:
    """The index tells all there is, and what a new one made from nothing tells."""
    assert_complete(machine.index, machine.files())
    assert machine.update().busy == ""
    for file in machine.files():
        rest(file.path)
    assert_complete(machine.index, machine.files())
    machine.update()
    assert machine.index.pending(machine.files()) == []
    fresh = Machine(folder, "fresh")
    fresh.update()
    assert by_index(fresh.index, fresh.files()) == by_index(machine.index, machine.files())
    fresh.close()


@pytest.mark.requirement("HIS-MANY")
def test_threads_share_one_index_while_another_one_writes(machine: Machine) -> None:
    done = threading.Event()
    failed: list[BaseException] = []

    def read() -> None:
        try:
            while not done.is_set():
                view = machine.index.view()
                assert not view.damaged
                for shard, row in all_rows(view):
                    machine.index.text(shard, row)
                machine.index.pending(files, view)
        except BaseException as error:
            failed.append(error)

    session = filled(machine, 1)
    rest(session.path)
    files = machine.files()
    threads = [threading.Thread(target=read) for _ in range(4)]
    for thread in threads:
        thread.start()
    for number in range(25):
        session.prompt(f"question {number}")
        rest(session.path)
        writing = Index(machine.home)
        Indexer(writing, machine.files()).run(everything=True)
        writing.close()
    done.set()
    for thread in threads:
        thread.join()
    assert failed == []
    assert_complete(machine.index, machine.files())
