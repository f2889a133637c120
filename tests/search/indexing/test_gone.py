"""Sessions whose files vanish stay, and those whose files move are known again."""

from __future__ import annotations

import shutil

import pytest

from tests.search.indexing.machine import Machine, all_rows, assert_complete, filled, read_anew, rest


@pytest.mark.requirement("HIS-GONE")
def test_a_vanished_session_stays_is_marked_and_is_unmarked_when_it_comes_back(machine: Machine) -> None:
    session = filled(machine, 1)
    rest(session.path)
    machine.update()
    said = read_anew(machine.files()[0])
    hidden = session.path.rename(machine.user / "hidden")
    machine.update()
    assert machine.index.view().sources[1].gone
    assert_complete(machine.index, machine.files(), {str(session.path): said})
    hidden.rename(session.path)
    machine.update()
    assert not machine.index.view().sources[1].gone
    assert list(machine.index.view().sources) == [1]
    assert_complete(machine.index, machine.files())


@pytest.mark.requirement("HIS-GONE")
def test_a_moved_session_is_known_again_and_goes_on_without_doubling(machine: Machine) -> None:
    session = filled(machine, 1)
    rest(session.path)
    machine.update()
    rows = len(all_rows(machine.index.view()))
    moved = machine.session(1, "-home-user-elsewhere")
    shutil.move(session.path, moved.path)
    moved.count, moved.tip = session.count, session.tip
    moved.prompt("After the move")
    rest(moved.path)
    machine.update()
    assert [(source.path, source.gone) for source in machine.index.view().sources.values()] == [
        (str(moved.path), False)
    ]
    assert len(all_rows(machine.index.view())) == rows + 1
    assert_complete(machine.index, machine.files())


@pytest.mark.requirement("HIS-GONE")
def test_a_session_that_moved_and_came_back_and_is_another_by_now_is_not_two_once_the_catalog_is_lost(
    machine: Machine,
) -> None:
    session = filled(machine, 1)
    rest(session.path)
    machine.update()
    moved = machine.session(1, "-home-user-elsewhere")
    for old, new in ((session.path, moved.path), (moved.path, session.path)):
        shutil.move(old, new)
        machine.update()
    session.path.unlink()
    filled(machine, 1, turns=1)
    machine.lose_catalog()
    machine.update()
    assert [(source.path, source.gone) for source in machine.index.view().sources.values()] == [
        (str(session.path), False)
    ]
    assert_complete(machine.index, machine.files())


@pytest.mark.requirement("HIS-GONE")
def test_a_reading_that_was_left_half_way_does_not_come_back_where_its_session_was_before(
    machine: Machine,
) -> None:
    session = machine.session(1)
    session.prompt("Hello")
    machine.update()
    session.path.write_bytes(session.path.read_bytes().replace(b"Hello", b"Other"))
    session.prompt("Again")
    steps = iter(range(2))
    machine.update(slice_bytes=1, stop=lambda: next(steps, None) is None)
    session.path.write_bytes(session.path.read_bytes().replace(b"Other", b"Hello"))
    machine.update()
    moved = machine.session(1, "-home-user-elsewhere")
    shutil.move(session.path, moved.path)
    machine.update()
    machine.lose_catalog()
    machine.update()
    assert [(source.path, source.gone) for source in machine.index.view().sources.values()] == [
        (str(moved.path), False)
    ]


@pytest.mark.requirement("HIS-GONE")
def test_a_session_that_was_rewound_and_moved_since_is_not_kept_as_it_was_beside(machine: Machine) -> None:
    session = filled(machine, 1)
    first = session.prompt("Go on")
    session.prompt("The wrong way")
    rest(session.path)
    machine.update()
    moved = machine.session(1, "-home-user-elsewhere")
    shutil.move(session.path, moved.path)
    moved.count = session.count
    moved.prompt("The right way", parent=first)
    rest(moved.path)
    machine.update()
    assert [(source.path, source.gone) for source in machine.index.view().sources.values()] == [
        (str(moved.path), False)
    ]
    assert_complete(machine.index, machine.files())


@pytest.mark.requirement("HIS-GONE")
def test_a_file_of_the_same_name_elsewhere_takes_nothing_from_a_vanished_session(machine: Machine) -> None:
    session = filled(machine, 1)
    rest(session.path)
    machine.update()
    said = read_anew(machine.files()[0])
    session.path.unlink()
    other = machine.session(1, "-home-user-elsewhere")
    other.prompt("Nothing of the former")
    rest(other.path)
    machine.update()
    assert_complete(machine.index, machine.files(), {str(session.path): said})


def test_two_files_of_one_session_are_two_sources_whatever_becomes_of_either(machine: Machine) -> None:
    one = filled(machine, 1)
    other = filled(machine, 1, turns=4, project="-home-user-elsewhere")

    def both() -> None:
        machine.update()
        assert len(machine.index.view().sources) == 2
        assert_complete(machine.index, machine.files())

    rest(one.path)
    rest(other.path)
    both()
    one.path.touch()
    both()
    one.prompt("More in the one")
    both()
    one.path.write_bytes(b"")
    machine.session(1).prompt("Something else")
    both()
    said = {file.path: read_anew(file) for file in machine.files()}
    other.path.unlink()
    machine.update()
    assert_complete(machine.index, machine.files(), {str(other.path): said[other.path]})
