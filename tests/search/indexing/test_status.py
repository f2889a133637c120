"""The status says what is in, what is not and why, and who is at it."""

from __future__ import annotations

import sqlite3
from contextlib import closing

import pytest

from prune_mcp.search.indexing.forget import forget
from prune_mcp.search.indexing.lock import WriterLock
from prune_mcp.search.indexing.status import AgentStatus, Skipped, status
from tests.search.indexing.machine import Machine, Told, filled, read_anew, rest
from tests.sessions.codex.writing import Rollout, rollout_path


def test_nothing_indexed_yet(machine: Machine) -> None:
    assert status(machine.index, machine.files()).total == AgentStatus()
    size = filled(machine, 1).path.stat().st_size
    now = status(machine.index, machine.files())
    assert (now.pending, now.pending_bytes, now.segments, now.busy) == (1, size, {}, "")
    assert not machine.home.data.exists()


@pytest.mark.requirement("HIS-GONE", "HIS-FRESH")
def test_everything_that_can_be_said_of_an_index(machine: Machine) -> None:
    sessions = [filled(machine, number) for number in range(1, 4)]
    rollout = Rollout(rollout_path(machine.user / ".codex"))
    rollout.exchange("question", "answer")
    for path in (*(session.path for session in sessions), rollout.path):
        rest(path)
    bad = machine.session(9)
    bad.write(b"no session\n")
    machine.update()
    said = {file.path: read_anew(file) for file in machine.files() if file.path != bad.path}
    sessions[0].path.unlink()
    machine.update()
    forget(machine.index, lambda source: source.path == str(sessions[1].path))
    sessions[2].prompt("More")
    now = status(machine.index, machine.files())
    claude = [*said[sessions[0].path], *said[sessions[2].path]]
    assert now.agents == {
        "claude-code": AgentStatus(2, len(claude), size_of(claude), gone=1),
        "codex": AgentStatus(1, len(said[rollout.path]), size_of(said[rollout.path])),
    }
    assert now.total.passages == sum(agent.passages for agent in now.agents.values())
    assert (now.pending, now.forgotten, now.lost) == (1, 1, 0)
    assert now.skipped == [Skipped(str(bad.path), "claude-code", 11, now.skipped[0].reason)]
    assert "is no session" in now.skipped[0].reason
    assert now.pack_bytes == sum(path.stat().st_size for path in machine.home.data.rglob("*.pack"))
    assert now.segment_bytes == sum(path.stat().st_size for path in machine.home.cache.rglob("*.seg"))
    assert now.catalog_bytes > 0
    times = [int(each.time) for each in (*claude, *said[rollout.path])]
    assert (now.first, now.last) == (min(times), max(times))
    assert set(now.segments) == {"2026-01"}
    assert now.damaged == []


def size_of(said: list[Told]) -> int:
    """Bytes of texts."""
    return sum(len(each.text.encode()) for each in said)


@pytest.mark.requirement("HIS-MANY")
def test_who_writes_now_is_said_as_long_as_they_do(machine: Machine) -> None:
    with WriterLock(machine.index.paths.history) as lock:
        lock.take("rebuilding the index")
        assert "is rebuilding the index since" in status(machine.index, []).busy
        assert "rebuilding the index" in machine.update().busy
    assert status(machine.index, []).busy == ""


@pytest.mark.requirement("SES-DAMAGE")
def test_what_was_left_out_of_a_file_is_told_as_long_as_that_is_so(machine: Machine) -> None:
    session = filled(machine, 1)
    session.write(b'{"type": "user", "mess\n[1, 2]\nnull\n')
    session.says("Behind the damage")
    machine.update()
    (damage,) = status(machine.index, machine.files()).left_out
    assert (damage.path, damage.host) == (str(session.path), "claude-code")
    assert damage.kinds == {"torn": 1, "list": 1, "null": 1}
    assert damage.told == "1 torn line, 2 lines that hold no object"
    session.write(b'{"torn": \n')
    session.prompt("More")
    machine.update()
    (damage,) = status(machine.index, machine.files()).left_out
    assert damage.kinds["torn"] == 2
    session.path.unlink()
    filled(machine, 1)
    machine.update()
    assert status(machine.index, machine.files()).left_out == []


@pytest.mark.requirement("SES-DAMAGE")
def test_a_forgotten_source_leaves_nothing_of_its_damage(machine: Machine) -> None:
    session = filled(machine, 1)
    session.write(b"{torn\n")
    machine.update()
    forget(machine.index, lambda source: source.path == str(session.path))
    assert machine.index.rows("SELECT * FROM damage") == []


def test_a_catalog_of_before_damage_was_kept_goes_on(machine: Machine) -> None:
    filled(machine, 1)
    machine.update()
    machine.close()
    with closing(sqlite3.connect(machine.index.paths.catalog)) as catalog, catalog:
        catalog.execute("DROP TABLE damage")
        catalog.execute("PRAGMA user_version = 1")
    session = filled(machine, 2)
    session.write(b"{torn\n")
    machine.update()
    now = status(machine.index, machine.files())
    assert (now.total.sources, [one.told for one in now.left_out]) == (2, ["1 torn line"])
