"""Damaged, missing, older and newer files of the index cost no more than they must, and are told of."""

from __future__ import annotations

import os
import shutil
import sqlite3
from pathlib import Path
from typing import NoReturn

import pytest

from prune_mcp.search.find import kept_scan
from prune_mcp.search.find.find import find
from prune_mcp.search.find.matches import Spot
from prune_mcp.search.find.passages import Passages
from prune_mcp.search.find.question import Found, Question
from prune_mcp.search.indexing.indexer import Indexer
from prune_mcp.search.indexing.rebuild import rebuild
from prune_mcp.search.indexing.status import status
from prune_mcp.search.packs.frame import FrameDamaged
from prune_mcp.search.packs.pack import Packs
from prune_mcp.search.rows import Row
from prune_mcp.storage.errors import StoreNewer
from tests.search.indexing.machine import (
    Machine,
    Told,
    all_rows,
    assert_complete,
    by_index,
    filled,
    read_anew,
    rest,
)


@pytest.fixture
def indexed(machine: Machine) -> Machine:
    """A machine with three sessions, all of them in the index, the third one gone."""
    for number in range(1, 4):
        rest(filled(machine, number, turns=5).path)
    machine.update()
    path_of(machine, 3).rename(machine.user / "gone")
    machine.update()
    return machine


def gone(machine: Machine) -> dict[str, list[Told]]:
    """What the session that is gone said, by its path."""
    path = path_of(machine, 3)
    (machine.user / "gone").rename(path)
    (file,) = [file for file in machine.files() if file.path == path]
    said = read_anew(file)
    path.rename(machine.user / "gone")
    return {str(path): said}


def found(machine: Machine, text: str, seconds: float = 60.0) -> Found:
    """What a search finds, at most 50 hits."""
    return find(machine.index, machine.files, Question(text, limit=50, now=1_767_355_200.0), seconds)


def segments(machine: Machine) -> list[Path]:
    """The files of all segments."""
    return sorted(machine.home.cache.rglob("*.seg"))


def packs(machine: Machine) -> list[Path]:
    """The files of all packs."""
    return sorted(machine.home.data.rglob("*.pack"))


@pytest.mark.requirement("HIS-GONE")
def test_a_cleared_cache_is_told_of_and_built_anew_from_the_packs(indexed: Machine) -> None:
    expected = gone(indexed)
    shutil.rmtree(indexed.home.cache)
    indexed.index.close()
    assert "lacks a part" in indexed.index.view().damaged[0]
    assert indexed.index.pending(indexed.files()) == []
    report = indexed.update()
    assert report.notes == ["The index was built anew for 2026-01."]
    assert report.files == 0
    assert_complete(indexed.index, indexed.files(), expected)


@pytest.mark.requirement("HIS-FRESH", "HIS-GONE")
@pytest.mark.parametrize("text", ["question 1", '"output 1 of session"', "quest*", "session/of.output", ">="])
def test_what_a_cleared_cache_told_of_is_found_in_what_is_kept(indexed: Machine, text: str) -> None:
    indexed.session(1).says("1 >= 0")
    rest(indexed.session(1).path)
    indexed.update()
    gone(indexed)
    before = found(indexed, text)
    shutil.rmtree(indexed.home.cache)
    indexed.index.close()
    after = found(indexed, text)
    assert {hit.ref for hit in before.hits} == {hit.ref for hit in after.hits} != set()
    assert (after.covered, after.pending) == (before.covered, 0)
    (note,) = (note for note in after.notes if "index" in note)
    assert note.startswith("The index lacks words of 2026-01: the texts that are kept were read instead.")
    indexed.update()
    assert found(indexed, text).notes == before.notes


def test_what_there_was_no_time_for_of_a_cleared_cache_is_told(
    indexed: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(kept_scan, "LEAST", -100.0)
    shutil.rmtree(indexed.home.cache)
    indexed.index.close()
    none = found(indexed, "question", seconds=-1.0)
    assert none.hits == []
    assert none.covered == 0
    assert none.pending > 0
    assert any("no time for" in note for note in none.notes)


def test_a_reader_that_holds_a_segment_open_goes_on_when_its_file_is_taken_away(indexed: Machine) -> None:
    view = indexed.index.view()
    shutil.rmtree(indexed.home.cache)
    assert len(all_rows(view)) == 60
    assert indexed.index.view() is view
    indexed.update()
    assert indexed.index.view().damaged == ()


@pytest.mark.requirement("HIS-GONE")
@pytest.mark.parametrize("damage", ["zeroed", "zeroed in part", "cut"])
def test_a_segment_that_is_overwritten_while_it_is_held_open_costs_no_hit(indexed: Machine, damage: str) -> None:
    before = found(indexed, "question")
    for segment in segments(indexed):
        size = segment.stat().st_size
        with segment.open("r+b") as file:
            file.seek(size // 2 if damage == "zeroed in part" else 0)
            file.write(bytes(size - file.tell()))
            file.truncate(size // 2 if damage == "cut" else size)
    after = found(indexed, "question")
    assert {hit.ref for hit in after.hits} == {hit.ref for hit in before.hits} != set()
    assert any("The next indexing builds it anew" in note for note in after.notes)
    indexed.update()
    assert found(indexed, "question").notes == []


@pytest.mark.requirement("HIS-GONE")
def test_a_catalog_that_is_overwritten_while_it_is_held_open_costs_no_hit(indexed: Machine) -> None:
    before = found(indexed, "question")
    catalog = indexed.index.paths.catalog
    with catalog.open("r+b") as file:
        file.write(b"?" * catalog.stat().st_size)
    for _ in range(2):
        assert {hit.ref for hit in found(indexed, "question").hits} == {hit.ref for hit in before.hits} != set()
        indexed.update()


@pytest.mark.parametrize("part", [0.0, 0.3, 0.999])
def test_a_segment_that_was_cut_is_built_anew(indexed: Machine, part: float) -> None:
    (segment, *_) = segments(indexed)
    segment.write_bytes(segment.read_bytes()[: int(segment.stat().st_size * part)])
    indexed.index.close()
    assert "damaged" in indexed.index.view().damaged[0]
    indexed.update()
    assert_complete(indexed.index, indexed.files(), gone(indexed))


def test_a_segment_found_to_be_damaged_inside_is_discarded_and_built_anew(indexed: Machine) -> None:
    (segment,) = (segment for parts in indexed.index.view().shards.values() for segment in parts)
    indexed.index.discard(segment.path)
    assert indexed.index.view().damaged
    indexed.update()
    assert_complete(indexed.index, indexed.files(), gone(indexed))


def test_segments_of_an_older_form_are_built_anew_and_their_folder_goes(
    indexed: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    for module in ("catalog.snapshot", "catalog.file", "paths", "indexing.recovery", "indexing.renewal"):
        monkeypatch.setattr(f"prune_mcp.search.{module}.INDEX_VERSION", 2)
    indexed.index.close()
    assert indexed.index.view().shards == {}
    indexed.update()
    assert [path.name for path in indexed.home.cache.iterdir()] == ["index-2"]
    assert_complete(indexed.index, indexed.files(), gone(indexed))


def test_an_index_of_a_newer_version_is_refused_and_left_as_it_is(indexed: Machine) -> None:
    catalog = indexed.index.paths.catalog
    indexed.index.close()
    connection = sqlite3.connect(catalog)
    connection.execute("PRAGMA user_version = 99")
    connection.close()
    before = {path: path.read_bytes() for path in (catalog, *packs(indexed), *segments(indexed))}
    for use in (indexed.index.view, indexed.update, lambda: rebuild(indexed.index, indexed.files())):
        with pytest.raises(StoreNewer, match="version 99"):
            use()
    assert {path: path.read_bytes() for path in before} == before


def test_segments_of_a_newer_form_are_refused_and_left_as_they_are(indexed: Machine) -> None:
    indexed.index.close()
    connection = sqlite3.connect(indexed.index.paths.catalog)
    connection.execute("UPDATE state SET index_version = 99")
    connection.commit()
    connection.close()
    for use in (indexed.index.view, indexed.update):
        with pytest.raises(StoreNewer, match="version 99"):
            use()
    assert segments(indexed)


@pytest.mark.requirement("HIS-GONE")
@pytest.mark.parametrize("damage", ["lost", "emptied", "cut", "overwritten", "another program's"])
def test_a_damaged_catalog_is_set_aside_and_made_anew(indexed: Machine, damage: str) -> None:
    catalog = indexed.index.paths.catalog
    expected = gone(indexed)
    indexed.index.close()
    sound = catalog.read_bytes()
    for log in catalog.parent.glob("*-wal"):
        log.unlink()
    if damage == "another program's":
        catalog.unlink()
        connection = sqlite3.connect(catalog)
        connection.execute("CREATE TABLE theirs (x)")
        connection.close()
    elif damage == "lost":
        catalog.unlink()
    else:
        wrong = {"emptied": b"", "cut": sound[:5000], "overwritten": b"?" * len(sound)}
        catalog.write_bytes(wrong[damage])
    if damage not in ("lost", "emptied"):
        assert "damaged" in indexed.index.view().damaged[0]
    indexed.update()
    assert bool(list(catalog.parent.glob("*.damaged-*"))) == (damage not in ("lost", "emptied"))
    assert_complete(indexed.index, indexed.files(), expected)
    sources = indexed.index.view().sources.values()
    assert {source.path: source.gone for source in sources} == {
        str(path_of(indexed, number)): number == 3 for number in (1, 2, 3)
    }


def test_a_catalog_that_is_set_aside_never_takes_the_place_of_another(
    indexed: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("prune_mcp.search.indexing.recovery.time.time", lambda: 1_767_355_200.0)
    catalog = indexed.index.paths.catalog
    for damage in (b"first", b"second", b"third"):
        indexed.index.close()
        catalog.write_bytes(damage * 1000)
        indexed.update()
    aside = sorted(catalog.parent.glob(f"{catalog.name}.damaged-*"))
    assert [path.read_bytes()[:5] for path in aside] == [b"first", b"secon", b"third"]


@pytest.mark.requirement("HIS-GONE")
def test_an_older_catalog_put_back_loses_nothing(indexed: Machine) -> None:
    catalog = indexed.index.paths.catalog
    indexed.index.close()
    old = catalog.read_bytes()
    for number in (4, 5):
        rest(filled(indexed, number).path)
        indexed.update()
    kept = {file.filename: read_anew(file) for file in indexed.files() if file.path == path_of(indexed, 4)}
    path_of(indexed, 4).unlink()
    indexed.index.close()
    catalog.write_bytes(old)
    indexed.update()
    assert_complete(indexed.index, indexed.files(), gone(indexed) | kept)


@pytest.mark.requirement("HIS-GONE")
def test_a_catalog_made_anew_brings_nothing_back_that_had_given_way(indexed: Machine) -> None:
    filled(indexed, 1, turns=9)
    session = indexed.session(1)
    session.path.write_bytes(session.path.read_bytes().replace(b"Question", b"Anything"))
    rest(session.path)
    indexed.update()
    elsewhere = session.path.parent.with_name("-home-user-elsewhere") / session.path.name
    elsewhere.parent.mkdir()
    session.path.rename(elsewhere)
    indexed.update()
    expected = gone(indexed)
    indexed.index.close()
    indexed.index.paths.catalog.unlink()
    indexed.update()
    assert_complete(indexed.index, indexed.files(), expected)


def path_of(machine: Machine, number: int) -> Path:
    """Where a session's file stands, or stood."""
    folder = machine.user / ".claude" / "projects" / "-home-user-app"
    return folder / f"{number:08x}-1111-4000-8000-000000000000.jsonl"


@pytest.mark.requirement("HIS-GONE")
@pytest.mark.parametrize("damage", ["lost", "cut", "overwritten"])
def test_damage_in_a_pack_loses_only_what_sources_that_are_gone_said_there(indexed: Machine, damage: str) -> None:
    (pack,) = packs(indexed)
    expected = gone(indexed)
    (path,) = expected
    starts = {indexed.index.view().sources[n].path: indexed.index.frames_of(n)[0][1] for n in (1, 2, 3)}
    data = bytearray(pack.read_bytes())
    where = starts[path]
    indexed.index.close()
    if damage == "lost":
        pack.unlink()
    elif damage == "cut":
        pack.write_bytes(data[:100])
    else:
        data[where + 40 : where + 60] = b"?" * 20
        pack.write_bytes(data)
        (row, *_) = [row for _, row in all_rows(indexed.index.view()) if row.frame == where]
        with pytest.raises(FrameDamaged, match="checksum"):
            indexed.index.text("2026-01", row)
    report = rebuild(indexed.index, indexed.files())
    assert any("20 passages are lost" in note for note in report.notes)
    assert status(indexed.index, indexed.files()).lost == 20
    assert_complete(indexed.index, indexed.files(), {path: []})


def flipped(machine: Machine, number: int) -> Row:
    """Flip bytes inside of the first frame of a session; a row of it."""
    (pack,) = packs(machine)
    (source,) = (n for n, one in machine.index.view().sources.items() if one.path == str(path_of(machine, number)))
    ((_, where, _), *_) = machine.index.frames_of(source)
    data = bytearray(pack.read_bytes())
    data[where + 60 : where + 70] = bytes(255 - byte for byte in data[where + 60 : where + 70])
    machine.index.close()
    pack.write_bytes(data)
    return next(row for _, row in all_rows(machine.index.view()) if row.frame == where)


def meet(machine: Machine, row: Row) -> None:
    """Let a reader meet a damaged frame."""
    passages = Passages(machine.index)
    assert passages.of(Spot("2026-01", row.source, row.frame, row.slot, row.copy)) is None
    assert passages.lost == 1


@pytest.mark.requirement("HIS-GONE")
@pytest.mark.parametrize("everything", [False, True])
def test_damage_that_a_reader_met_is_told_of_and_read_again(indexed: Machine, everything: bool) -> None:
    expected = gone(indexed)
    row = flipped(indexed, 1)
    meet(indexed, row)
    (mark,) = (indexed.home.data / "history" / "damaged").iterdir()
    assert os.name == "nt" or mark.stat().st_mode & 0o777 == 0o600
    (sentence,) = status(indexed.index, indexed.files()).damaged
    assert sentence.startswith("Damaged frames in the kept text of 2026-01: 1;")
    report = indexed.update(everything=everything)
    assert any("20 passages were damaged where they are kept, and are read again." in n for n in report.notes)
    assert report.files == 1
    assert status(indexed.index, indexed.files()).damaged == []
    assert status(indexed.index, indexed.files()).lost == 0
    assert_complete(indexed.index, indexed.files(), expected)
    with pytest.raises(FrameDamaged):
        indexed.index.frame_at("2026-01", row.frame)
    assert status(indexed.index, indexed.files()).damaged == []
    assert indexed.update().notes == []


def test_damage_that_nobody_met_is_found_by_building_anew(indexed: Machine) -> None:
    expected = gone(indexed)
    flipped(indexed, 2)
    assert indexed.update().notes == []
    report = rebuild(indexed.index, indexed.files())
    assert any("read again" in note for note in report.notes)
    assert_complete(indexed.index, indexed.files(), expected)


@pytest.mark.requirement("HIS-GONE")
def test_damage_to_what_a_vanished_source_said_is_counted_and_told(indexed: Machine) -> None:
    (path,) = gone(indexed)
    meet(indexed, flipped(indexed, 3))
    report = indexed.update(everything=False)
    assert any("20 passages are lost" in note for note in report.notes)
    told = status(indexed.index, indexed.files())
    assert (told.lost, told.damaged) == (20, [])
    assert_complete(indexed.index, indexed.files(), {path: []})


def test_a_pack_that_cannot_be_read_for_now_is_not_taken_for_damaged(
    indexed: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = gone(indexed)
    indexed.index.close()

    def refused(packs: Packs, path: Path) -> NoReturn:
        raise PermissionError(13, "Permission denied")

    with monkeypatch.context() as patch:
        patch.setattr(Packs, "_opened", refused)
        ((shard, row), *_) = all_rows(indexed.index.view())
        with pytest.raises(FrameDamaged, match="Permission denied"):
            indexed.index.text(shard, row)
        assert indexed.update().notes == []
    assert status(indexed.index, indexed.files()).damaged == []
    assert_complete(indexed.index, indexed.files(), expected)


def test_a_pack_that_is_shorter_than_it_was_is_noticed_by_the_next_indexing(indexed: Machine) -> None:
    (pack,) = packs(indexed)
    pack.write_bytes(pack.read_bytes()[:100])
    indexed.index.close()
    report = indexed.update()
    assert any("read again" in note for note in report.notes)
    assert_complete(indexed.index, indexed.files(), {})


@pytest.mark.requirement("HIS-GONE")
@pytest.mark.parametrize("everything", [False, True])
def test_rebuilding_tells_the_same_as_before(indexed: Machine, everything: bool) -> None:
    expected = gone(indexed)
    before = by_index(indexed.index, indexed.files())
    report = rebuild(indexed.index, indexed.files(), everything=everything)
    assert report.files == (2 if everything else 0)
    assert by_index(indexed.index, indexed.files()) == before
    assert_complete(indexed.index, indexed.files(), expected)
    assert set(indexed.index.view().sources) == {1, 2, 3}


def test_a_rebuilding_that_is_stopped_leaves_the_index_as_it_was(indexed: Machine) -> None:
    before = by_index(indexed.index, indexed.files())
    rebuild(indexed.index, indexed.files(), stop=lambda: True)
    assert by_index(indexed.index, indexed.files()) == before


def test_what_killed_writers_left_behind_is_cleared_away(indexed: Machine) -> None:
    (pack,) = packs(indexed)
    size = pack.stat().st_size
    with pack.open("ab") as file:
        file.write(pack.read_bytes()[8:500])
    strays = [indexed.index.paths.segment("2026-01", "999"), indexed.index.paths.segment("2031-01", "1")]
    for stray in strays:
        stray.parent.mkdir(exist_ok=True)
        stray.write_bytes(b"half a segment")
    shutil.copy(pack, pack.with_name("2026-01.2.pack"))
    Indexer(indexed.index, indexed.files()).run()
    assert pack.stat().st_size == size
    assert packs(indexed) == [pack]
    assert not any(stray.exists() for stray in strays)
