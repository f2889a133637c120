"""Forgetting leaves no byte of a session behind, and it does not come back by itself."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from prune_mcp.search.index import Index
from prune_mcp.search.indexing.forget import Forgot, forget, remember
from prune_mcp.search.indexing.lock import WriterBusy, WriterLock
from prune_mcp.search.indexing.status import status
from prune_mcp.search.packs.frame import PREFIX, FrameDamaged, unpacked
from prune_mcp.search.packs.pack import scan
from prune_mcp.search.rows import SourceRecord
from prune_mcp.search.segments.segment import Segment
from prune_mcp.sessions.session_file import SessionFile
from tests.search.indexing.machine import Machine, all_rows, assert_complete, rest

WORD = "zyxwvutsecretproject"


def spoken(machine: Machine, number: int, word: str, turns: int = 6) -> Path:
    """A session whose every passage holds a word, and its title and folder too."""
    session = machine.session(number, f"-home-user-{word}")
    session.line({"type": "summary", "summary": f"All about {word}", "leafUuid": "x"})
    for turn in range(turns):
        session.prompt(f"{word} question {turn}", cwd=f"/home/user/{word}")
        session.turn(f"call-{word}-{turn}", f"{word} output {turn}\n" * 5, name=f"mcp__{word}__run")
        session.says(f"{word} answer {turn}", timestamp=f"2026-0{turn + 1}-01T00:00:00.000Z")
    rest(session.path)
    return session.path


def of(word: str) -> Callable[[SourceRecord], bool]:
    """Whether a source is a session of this word."""
    return lambda source: word in source.path


def left(machine: Machine, word: str) -> Iterator[str]:
    """Where anything of a word is left in the data and cache folders, also inside of what is compressed."""
    needle = word.encode()
    for path in (*machine.home.data.rglob("*"), *machine.home.cache.rglob("*")):
        if path.is_file() and needle in path.read_bytes():
            yield f"{path}"
        if path.suffix == ".pack":
            yield from (f"frame {start} of {path}" for start, data in scan(path) if needle in plain(data))
        if path.suffix == ".seg" and Segment(path).frequency(word):
            yield f"terms of {path}"


def plain(data: bytes) -> bytes:
    """All that a frame says."""
    try:
        frame = unpacked(data, "")
    except FrameDamaged:
        return data[PREFIX.size :]
    return repr(frame).encode()


def others(machine: Machine, path: Path) -> list[SessionFile]:
    """All session files but this one."""
    return [file for file in machine.files() if file.path != path]


@pytest.mark.requirement("HIS-GONE")
def test_nothing_is_left_of_what_was_forgotten_and_all_of_the_rest(machine: Machine) -> None:
    spoken(machine, 1, "keepthis")
    path = spoken(machine, 2, WORD)
    machine.update()
    (machine.home.cache / "searches").mkdir()
    (machine.home.cache / "searches" / "kept").write_text(WORD)
    assert list(left(machine, WORD))
    forgot = forget(machine.index, of(WORD))
    assert (forgot.sources, forgot.passages) == (1, 25)
    assert list(left(machine, WORD)) == []
    assert list(left(machine, "keepthis"))
    assert_complete(machine.index, others(machine, path))


@pytest.mark.requirement("HIS-GONE", "HIS-MANY")
def test_another_reader_no_longer_knows_what_was_forgotten(machine: Machine) -> None:
    spoken(machine, 1, "keepthis")
    spoken(machine, 2, WORD)
    machine.update()
    reader = Index(machine.home)
    assert len(reader.view().sources) == 2
    forget(machine.index, of(WORD))
    assert ["keepthis" in source.path for source in reader.view().sources.values()] == [True]
    reader.close()


def test_tools_of_sessions_that_come_after_a_forgetting_are_told_apart(machine: Machine) -> None:
    spoken(machine, 2, WORD)
    machine.update()
    spoken(machine, 1, "keepthis")
    machine.update()
    forget(machine.index, of(WORD))
    spoken(machine, 3, "newer")
    machine.update()
    assert_complete(machine.index, [file for file in machine.files() if WORD not in file.filename])


@pytest.mark.requirement("HIS-GONE")
def test_what_was_forgotten_comes_back_only_when_it_is_remembered(machine: Machine) -> None:
    path = spoken(machine, 1, WORD)
    machine.update()
    forget(machine.index, of(WORD))
    assert machine.index.pending(machine.files()) == []
    assert machine.update().files == 0
    moved = path.rename(path.parent / f"moved-{path.name}")
    assert machine.update().passages == 0
    moved.rename(path)
    assert list(left(machine, WORD)) == []
    remember(machine.index, machine.files())
    assert machine.update().passages == 25
    assert_complete(machine.index, machine.files())


def test_a_forgotten_session_is_known_under_another_name_when_its_lines_tell_it(machine: Machine) -> None:
    path = spoken(machine, 1, WORD)
    machine.update()
    forget(machine.index, of(WORD))
    path.rename(path.parent / "any-name.jsonl")
    assert machine.update().passages == 0
    assert list(left(machine, WORD)) == []
    assert machine.index.pending(machine.files()) == []


@pytest.mark.requirement("HIS-GONE")
def test_what_a_session_said_before_it_was_rewritten_is_forgotten_with_it(machine: Machine) -> None:
    path = spoken(machine, 1, WORD)
    machine.update()
    path.write_bytes(path.read_bytes().replace(WORD.encode(), b"nothing of that"))
    rest(path)
    machine.update()
    assert list(left(machine, WORD))
    forget(machine.index, lambda source: True)
    assert list(left(machine, WORD)) == []


def test_a_session_that_is_not_all_in_is_forgotten_too(machine: Machine) -> None:
    spoken(machine, 1, WORD, turns=8)
    steps = iter([False, True])
    machine.update(slice_bytes=100, stop=lambda: next(steps, True))
    assert list(left(machine, WORD))
    forget(machine.index, of(WORD))
    assert list(left(machine, WORD)) == []
    assert machine.update().files == 0


def test_files_that_are_not_indexed_yet_can_be_forgotten(machine: Machine) -> None:
    spoken(machine, 1, WORD)
    forget(machine.index, of(WORD), machine.files())
    assert machine.index.pending(machine.files()) == []
    assert machine.update().files == 0
    assert status(machine.index, machine.files()).forgotten == 1


@pytest.mark.requirement("HIS-GONE")
@pytest.mark.parametrize("indexed", [False, True])
def test_the_kept_copy_of_an_imported_session_goes_with_it(machine: Machine, indexed: bool) -> None:
    message = {"uuid": "m1", "sender": "human", "text": f"{WORD} was imported", "content": []}
    conversation = {"uuid": "c1", "name": WORD, "created_at": "2026-01-01T00:00:00Z", "chat_messages": [message]}
    copy = machine.home.data / "imports" / "claude.ai" / "c1.json"
    copy.parent.mkdir(parents=True)
    copy.write_text(json.dumps(conversation))
    rest(copy)
    if indexed:
        assert machine.update().passages > 0
    forget(machine.index, lambda source: True, [] if indexed else machine.files())
    assert not copy.exists()
    assert list(left(machine, WORD)) == []


def test_a_second_file_of_a_forgotten_session_that_stays_goes_on(machine: Machine) -> None:
    path = spoken(machine, 1, WORD)
    twin = machine.session(1, "-home-user-twin")
    twin.prompt("What the twin says")
    rest(twin.path)
    machine.update()
    forget(machine.index, of(WORD))
    twin.prompt("What the twin says later")
    rest(twin.path)
    machine.update()
    assert_complete(machine.index, others(machine, path))


def test_a_catalog_made_anew_does_not_bring_back_what_was_forgotten(machine: Machine) -> None:
    spoken(machine, 1, "keepthis").unlink()
    path = spoken(machine, 2, WORD)
    machine.update()
    machine.index.close()
    machine.index.paths.catalog.write_bytes(b"no catalog" * 1000)
    machine.update()
    assert list(machine.index.paths.history.glob("*.damaged-*"))
    forget(machine.index, of(WORD))
    assert not list(machine.index.paths.history.glob("*.damaged-*"))
    assert list(left(machine, WORD)) == []
    machine.index.close()
    machine.index.paths.catalog.unlink()
    machine.update()
    assert_complete(machine.index, others(machine, path))


@pytest.mark.parametrize("moment", ["rewrite", "_take_out", "remove_old", "CatalogWriter.wipe"])
def test_a_forgetting_that_was_cut_short_is_made_up_for_by_the_next_writer(
    machine: Machine, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    path = spoken(machine, 1, WORD)
    spoken(machine, 2, "keepthis")
    machine.update()
    with monkeypatch.context() as patch:
        patch.setattr(f"prune_mcp.search.indexing.forget.{moment}", cut_short)
        with pytest.raises(Cut):
            forget(machine.index, of(WORD))
    assert_complete(machine.index, others(machine, path) if moment in DONE else machine.files())
    machine.update()
    assert (list(left(machine, WORD)) == []) == (moment in DONE)
    forget(machine.index, of(WORD))
    assert list(left(machine, WORD)) == []
    assert_complete(machine.index, others(machine, path))


# From here on the catalog names nothing of it any more.
DONE = ("remove_old", "CatalogWriter.wipe")


class Cut(BaseException):
    """As when the process is killed."""


def cut_short(*arguments: object) -> None:
    raise Cut


def test_forgetting_waits_for_its_turn_and_says_whose_it_is(machine: Machine) -> None:
    spoken(machine, 1, WORD)
    machine.update()
    with WriterLock(machine.index.paths.history) as lock:
        lock.take("indexing")
        with pytest.raises(WriterBusy, match=r"Process \d+ is indexing since"):
            forget(machine.index, of(WORD), wait=0.05)
    forget(machine.index, of(WORD), wait=0.05)


def test_forgetting_nothing_changes_nothing(machine: Machine) -> None:
    spoken(machine, 1, WORD)
    machine.update()
    view = machine.index.view()
    assert forget(machine.index, of("nothing like it")) == Forgot(0, 0, 0)
    assert machine.index.view() is view


@pytest.mark.requirement("HIS-GONE")
def test_a_months_last_session_leaves_no_file_behind(machine: Machine) -> None:
    spoken(machine, 1, WORD)
    machine.update()
    forget(machine.index, of(WORD))
    assert list(machine.home.data.rglob("*.pack")) == []
    assert list(machine.home.cache.rglob("*.seg")) == []
    assert all_rows(machine.index.view()) == []
