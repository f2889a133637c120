"""A large file is taken in over several commits, and shown only when all of it is in."""

from __future__ import annotations

from prune_mcp.search.indexing.progress import Progress
from tests.search.indexing.machine import Machine, assert_complete, read_anew, rest


def test_a_large_file_is_taken_in_in_parts_and_shown_when_all_of_it_is_in(machine: Machine) -> None:
    session = machine.session(1)
    for turn in range(40):
        session.prompt(f"Question {turn}")
        session.turn(f"call-{turn}", f"output {turn} " * 300)
    rest(session.path)
    seen: list[int] = []

    def look(progress: Progress) -> None:
        seen.append(len(machine.index.view().sources))
        assert_complete(machine.index, machine.files())

    report = machine.update(slice_bytes=20_000, progress=look)
    assert report.commits > 3
    assert set(seen[:-1]) == {0}
    assert_complete(machine.index, machine.files())


def test_an_indexing_that_is_stopped_in_a_large_file_goes_on_where_it_was(machine: Machine) -> None:
    session = machine.session(1)
    for turn in range(40):
        session.prompt(f"Question {turn}")
        session.turn(f"call-{turn}", f"output {turn} " * 300)
    rest(session.path)
    passages = []
    for _ in range(100):
        calls = iter([False, True])
        report = machine.update(slice_bytes=20_000, stop=lambda calls=calls: next(calls, True), everything=False)
        passages.append(report.passages)
        if not report.left:
            break
    assert len(passages) > 3
    assert sum(passages) == len(read_anew(machine.files()[0]))
    assert_complete(machine.index, machine.files())


def test_a_large_file_that_changed_while_it_was_taken_in_is_taken_in_anew(machine: Machine) -> None:
    session = machine.session(1)
    for turn in range(20):
        session.prompt(f"Question {turn}")
        session.turn(f"call-{turn}", f"output {turn} " * 300)
    rest(session.path)
    calls = iter([False, False, True])
    machine.update(slice_bytes=20_000, stop=lambda: next(calls, True))
    session.path.write_bytes(session.path.read_bytes().replace(b"Question 1", b"Anything 1"))
    rest(session.path)
    machine.update(slice_bytes=20_000)
    assert_complete(machine.index, machine.files())
    assert machine.index.rows("SELECT number FROM sources WHERE status = 1") == [(2,)]
    assert machine.index.rows("SELECT number FROM sources WHERE status = 2") == []
