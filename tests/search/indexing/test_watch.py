"""Watching tells the same as looking through all folders, and mostly without doing so."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from prune_mcp.search.indexing.indexer import Indexer
from prune_mcp.search.watch import watch
from prune_mcp.sessions.discover import discover
from prune_mcp.sessions.session_file import SessionFile
from tests.search.indexing.machine import Machine, rest


@pytest.fixture
def settled(machine: Machine) -> Machine:
    """A machine with some sessions, in whose folders nothing has happened for long."""
    for number in range(1, 4):
        machine.session(number).prompt("Hello")
    machine.session(4, "-home-user-other").prompt("Hello")
    agents = machine.user / ".claude" / "projects" / "-home-user-app" / "some-session" / "subagents"
    agents.mkdir(parents=True)
    (agents / "agent-1.jsonl").write_text('{"type":"user"}\n')
    machine.session(5)
    settle(machine)
    return machine


def settle(machine: Machine) -> None:
    """Let all folders look as if they had not changed for long."""
    for path in (machine.user, *machine.user.rglob("*")):
        if path.is_dir():
            rest(path)


def found(machine: Machine) -> dict[str, SessionFile]:
    """What is there."""
    return {file.filename: file for file in discover(machine.env, machine.user)}


def told(machine: Machine) -> dict[str, SessionFile]:
    """What the watch tells."""
    return {file.filename: file for file in machine.files()}


class Looked(BaseException):
    """A folder was looked through."""


def refuse(*arguments: object) -> None:
    raise Looked


def test_nothing_is_looked_through_again_as_long_as_no_folder_changes(
    settled: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = settled.files()
    monkeypatch.setattr(os, "scandir", refuse)
    assert all(one is other for one, other in zip(settled.files(), before, strict=True))
    settled.session(1).prompt("More")
    after = settled.files()
    changed = [str(one.path) for one, other in zip(after, before, strict=True) if one is not other]
    assert changed == [str(settled.session(1).path)]
    monkeypatch.undo()
    assert told(settled) == found(settled)


def test_a_file_that_nobody_reads_is_named_without_a_path_being_made(settled: Machine) -> None:
    settled.update()
    again = watch(settled.env).files()
    Indexer(settled.index, again).run(everything=True)
    assert not any("path" in vars(file) for file in again)
    assert [file.filename for file in again] == [str(file.path) for file in settled.files()]


@pytest.mark.requirement("HIS-FRESH")
@pytest.mark.parametrize("change", ["a file", "a folder", "a subagent", "gone", "first line", "emptied", "moved"])
def test_what_changes_is_told_at_once(settled: Machine, change: str) -> None:
    before = told(settled)
    assert before == found(settled)
    app = settled.user / ".claude" / "projects" / "-home-user-app"
    if change == "a file":
        settled.session(9).prompt("Hello")
    elif change == "a folder":
        settled.session(9, "-home-user-new").prompt("Hello")
    elif change == "a subagent":
        (app / "some-session" / "subagents" / "agent-2.jsonl").write_text('{"type":"user"}\n')
    elif change == "gone":
        settled.session(1).path.unlink()
    elif change == "first line":
        settled.session(5).prompt("Hello")
    elif change == "emptied":
        settled.session(1).path.write_bytes(b"")
    else:
        settled.session(1).path.rename(app.with_name("-home-user-other") / "other.jsonl")
    assert told(settled) == found(settled) != before


def test_a_folder_that_changed_lately_is_looked_through_again_even_if_it_looks_the_same(settled: Machine) -> None:
    settled.session(6).prompt("Hello")
    app = settled.session(6).path.parent
    now = time.time_ns()
    os.utime(app, ns=(now, now))
    settled.files()
    settled.session(7).prompt("Hello")
    os.utime(app, ns=(now, now))
    assert told(settled) == found(settled)


def test_no_folder_at_all_is_watched_until_it_comes(tmp_path: Path) -> None:
    machine = Machine(tmp_path)
    machine.user.mkdir()
    rest(machine.user)
    assert machine.files() == []
    machine.session(1).prompt("Hello")
    assert told(machine) == found(machine)
    assert len(machine.files()) == 1


def test_imported_sessions_are_told_too(settled: Machine) -> None:
    kept = settled.home.data / "imports" / "chatgpt" / "some-conversation.json"
    kept.parent.mkdir(parents=True)
    kept.write_text("{}")
    assert told(settled)[str(kept)].host == "chatgpt"


def test_what_cannot_be_looked_at_is_counted(settled: Machine) -> None:
    watched = watch(settled.env)
    watched.files()
    assert watched.skipped == {"empty": 1}
