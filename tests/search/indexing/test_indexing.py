"""Indexing takes in whatever sessions say, once, and afterwards only what is new."""

from __future__ import annotations

import os
import sqlite3
from pathlib import Path

import pytest

from prune_mcp.search.indexing.progress import Progress
from tests.search.indexing.machine import Machine, all_rows, assert_complete, filled, read_anew, rest


@pytest.mark.requirement("HIS-FRESH")
def test_before_anything_is_indexed_everything_is_pending_and_no_file_is_made(machine: Machine) -> None:
    filled(machine, 1)
    view = machine.index.view()
    assert not view.sources
    assert not view.shards
    assert [one.size for one in machine.index.pending(machine.files())] == [machine.files()[0].size]
    assert not machine.home.data.exists()
    assert not machine.home.cache.exists()


def test_what_is_indexed_is_what_the_sessions_say(machine: Machine) -> None:
    for number in range(5):
        rest(filled(machine, number, turns=number).path)
    report = machine.update()
    assert (report.files, report.left, report.skipped) == (4, 0, [])
    assert machine.index.pending(machine.files()) == []
    assert_complete(machine.index, machine.files())


@pytest.mark.requirement("HIS-FRESH")
def test_what_may_still_change_is_taken_in_when_everything_is_asked_for_and_told_anew_when_it_does(
    machine: Machine,
) -> None:
    session = filled(machine, 1)
    machine.update(everything=False)
    assert machine.index.view().sources == {}
    machine.update()
    assert machine.index.pending(machine.files()) == []
    assert_complete(machine.index, machine.files())
    rest(session.path)
    machine.update()
    assert machine.index.pending(machine.files()) == []
    assert_complete(machine.index, machine.files())
    session.prompt("One more")
    session.says("One more answer")
    assert_complete(machine.index, machine.files())
    machine.update()
    assert_complete(machine.index, machine.files())


@pytest.mark.requirement("HIS-FRESH")
def test_what_was_indexed_further_since_a_view_was_taken_is_read_from_its_start_for_that_view(
    machine: Machine,
) -> None:
    session = filled(machine, 1)
    rest(session.path)
    machine.update()
    view = machine.index.view()
    session.prompt("Indexed after the view")
    (one,) = machine.index.pending(machine.files(), view)
    assert one.mark is not None
    Machine(machine.user.parent).update()
    session.prompt("Not indexed at all")
    (one,) = machine.index.pending(machine.files(), view)
    assert (one.mark, one.number) == (None, 1)
    (one,) = machine.index.pending(machine.files())
    assert one.mark is not None
    assert_complete(machine.index, machine.files())


@pytest.mark.parametrize("damage", ["UPDATE sources SET stamp = '?'", "UPDATE skipped SET stamp = '?'"])
def test_a_catalog_with_values_that_make_no_sense_is_made_anew(machine: Machine, damage: str) -> None:
    rest(filled(machine, 1).path)
    path = machine.session(2).path
    path.write_text('{"type": "some-other-log"}\n')
    machine.update()
    machine.index.close()
    connection = sqlite3.connect(machine.index.paths.catalog)
    with connection:
        assert connection.execute(damage).rowcount == 1
    connection.close()
    note, *_ = machine.update().notes
    assert "damaged, set aside and made anew" in note
    assert machine.index.pending(machine.files()) == []


def test_where_nothing_is_new_no_source_is_read_whole(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    rest(filled(machine, 1).path)
    machine.update()
    machine.index.close()

    def refuse(*arguments: object) -> None:
        raise AssertionError("a source was read whole")

    monkeypatch.setattr("prune_mcp.search.catalog.source.record_from", refuse)
    monkeypatch.setattr("prune_mcp.search.catalog.snapshot.record_from", refuse)
    assert machine.update().files == 0


@pytest.mark.requirement("HIS-FRESH")
def test_few_new_lines_in_a_file_that_is_written_to_wait_and_make_no_segment(machine: Machine) -> None:
    session = filled(machine, 1)
    rest(session.path)
    machine.update()
    version = machine.index.view().version
    session.prompt("One more")
    session.says("One more answer")
    assert machine.update(everything=False).files == 0
    assert machine.index.view().version == version
    session.turn("call", "x" * 70_000)
    session.prompt("Next")
    assert machine.update(everything=False).files == 1
    assert_complete(machine.index, machine.files())


def test_what_was_indexed_is_not_indexed_again(machine: Machine) -> None:
    session = filled(machine, 1)
    rest(session.path)
    machine.update()
    rows = len(all_rows(machine.index.view()))
    for turn in range(3):
        session.prompt(f"Later question {turn}")
        session.says(f"Later answer {turn}")
        rest(session.path)
        machine.update()
    assert len(all_rows(machine.index.view())) == rows + 6
    assert list(machine.index.view().sources) == [1]
    assert_complete(machine.index, machine.files())


def test_nothing_new_changes_nothing(machine: Machine) -> None:
    rest(filled(machine, 1).path)
    machine.update()
    view = machine.index.view()
    assert machine.update().commits == 0
    assert machine.index.view() is view


@pytest.mark.requirement("HIS-FRESH")
def test_a_rewritten_session_says_only_what_it_says_now(machine: Machine) -> None:
    session = filled(machine, 1)
    rest(session.path)
    machine.update()
    session.path.write_bytes(b"")
    again = machine.session(1)
    again.prompt("Something else altogether, and more of it than before" * 100)
    again.says("Yes")
    assert_complete(machine.index, machine.files())
    rest(session.path)
    machine.update()
    assert_complete(machine.index, machine.files())
    assert list(machine.index.view().sources) == [2]


def test_a_rewritten_session_is_noticed_at_the_same_size_and_time(machine: Machine) -> None:
    session = filled(machine, 1)
    rest(session.path)
    machine.update()
    before = session.path.stat()
    session.path.write_bytes(session.path.read_bytes().replace(b"Question", b"Anything"))
    os.utime(session.path, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert len(machine.index.pending(machine.files())) == 1
    machine.update()
    assert_complete(machine.index, machine.files())


def test_a_rewind_flags_what_it_left_behind(machine: Machine) -> None:
    session = machine.session(1)
    start = session.prompt("First")
    session.says("An answer that will be left behind")
    session.prompt("A question that will be left behind")
    session.says("Another")
    rest(session.path)
    machine.update()
    session.prompt("Another way", parent=start)
    session.says("Better")
    assert_complete(machine.index, machine.files())
    rest(session.path)
    machine.update()
    assert_complete(machine.index, machine.files())
    assert any(said.flags for said in read_anew(machine.files()[0]))


def test_a_file_that_cannot_be_read_costs_only_itself_and_is_tried_again_when_it_changes(machine: Machine) -> None:
    rest(filled(machine, 1).path)
    bad = machine.session(2)
    bad.write(b"no session\n")
    report = machine.update()
    assert [path for path, _ in report.skipped] == [str(bad.path)]
    assert machine.index.pending(machine.files()) == []
    assert machine.update().files == 0
    bad.path.unlink()
    rest(filled(machine, 2).path)
    assert machine.update().skipped == []
    assert_complete(machine.index, machine.files())


def test_progress_tells_how_far_it_is_and_the_newest_come_first(machine: Machine) -> None:
    for number in range(4):
        rest(filled(machine, number + 1).path, seconds=1000 * (number + 1))
    told: list[Progress] = []
    machine.update(progress=told.append)
    assert told[-1].done == told[-1].total == sum(file.size for file in machine.files())
    assert [progress.done for progress in told] == sorted(progress.done for progress in told)
    order = list(dict.fromkeys(Path(progress.file).name[:8] for progress in told))
    assert order == ["00000001", "00000002", "00000003", "00000004"]


def test_passages_stand_in_the_month_of_their_time(machine: Machine) -> None:
    session = machine.session(1)
    session.prompt("In winter", timestamp="2026-01-31T23:59:59.000Z")
    session.says("In spring", timestamp="2026-04-01T00:00:00.000Z")
    session.says("Without a time", timestamp=None)
    rest(session.path)
    machine.update()
    shards = {machine.index.text(shard, row): shard for shard, row in all_rows(machine.index.view())}
    assert shards == {"In winter": "2026-01", "In spring": "2026-04", "Without a time": "2026-04"}


def test_all_that_is_written_is_for_its_owner_alone(machine: Machine) -> None:
    rest(filled(machine, 1).path)
    machine.update()
    made = [*machine.home.data.rglob("*"), *machine.home.cache.rglob("*")]
    assert {oct(path.stat().st_mode & 0o777) for path in made if path.is_dir()} == {"0o700"}
    assert {oct(path.stat().st_mode & 0o777) for path in made if path.is_file()} == {"0o600"}
