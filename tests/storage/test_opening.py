"""A file that is no store of this version is refused and left as it is; one that cannot be written is read."""

from __future__ import annotations

import os
import sqlite3
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from prune_mcp.storage.errors import StoreError, StoreNewer
from prune_mcp.storage.home import Home
from prune_mcp.storage.protocol import Store
from prune_mcp.storage.schema import MIGRATIONS
from prune_mcp.storage.sqlite import open_store
from tests.storage.conftest import unprivileged
from tests.storage.examples import SESSION, archive, files_below, large_text

NEXT = (*MIGRATIONS, ("ALTER TABLE sessions ADD COLUMN mood TEXT NOT NULL DEFAULT ''",))


def foreign_database(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("CREATE TABLE mine (x)")
    connection.close()


def numbered_database(path: Path) -> None:
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA user_version = 1")
    connection.execute("PRAGMA application_id = 7")
    connection.close()


NO_STORES: list[Callable[[Path], object]] = [
    lambda path: path.write_bytes(b"x"),
    lambda path: path.write_text("a text, and no store at all\n" * 500),
    lambda path: path.write_bytes(b"SQLite format 3\0" + b"\xff" * 5000),
    lambda path: path.write_bytes(b"SQLite format 3\0" + b"\0" * 50),
    foreign_database,
    numbered_database,
]


@pytest.mark.parametrize("make", NO_STORES)
def test_a_file_that_is_no_store_is_named_and_left_as_it_is(
    store: Store, place: Home, make: Callable[[Path], object]
) -> None:
    place.data.mkdir(parents=True)
    make(place.data / "store.db")
    before = files_below(place.data)
    with pytest.raises(StoreError, match="move it away") as reading:
        store.sessions()
    with pytest.raises(StoreError, match="move it away") as writing:
        archive(store, "a")
    for error in (reading, writing):
        assert str(place.data / "store.db") in str(error.value)
    store.close()
    assert files_below(place.data) == before


def test_a_folder_in_the_place_of_the_store_is_named(store: Store, place: Home) -> None:
    (place.data / "store.db").mkdir(parents=True)
    for use in (store.sessions, lambda: archive(store, "a")):
        with pytest.raises(StoreError, match=r"store\.db is no file.*move it away"):
            use()


@pytest.mark.parametrize("name", ["", "data"])
@pytest.mark.parametrize("make", [Path.touch, lambda path: path.symlink_to("nowhere")], ids=["file", "dead link"])
def test_what_stands_in_the_place_of_a_folder_is_named_and_never_taken_for_an_empty_store(
    store: Store, place: Home, name: str, make: Callable[[Path], object]
) -> None:
    blocking = place.data.parent / name
    blocking.parent.mkdir(exist_ok=True)
    make(blocking)
    for use in (store.sessions, lambda: archive(store, "a")):
        with pytest.raises(StoreError) as told:
            use()
        assert str(told.value).startswith(f"{blocking} stands where prune-mcp needs a folder")
    blocking.unlink()
    assert store.sessions() == []


def test_a_file_in_the_place_of_the_folder_of_bodies_is_named(store: Store, place: Home) -> None:
    (sha,) = [output.sha for output in archive(store, large_text("a"))]
    bodies = place.data / "bodies"
    bodies.rename(place.data / "aside")
    bodies.touch()
    for use in (lambda: store.body(sha), lambda: archive(store, large_text("b"))):
        with pytest.raises(StoreError) as told:
            use()
        assert str(told.value).startswith(f"{bodies} stands where prune-mcp needs a folder")


def test_an_empty_file_is_a_store_not_yet_made(store: Store, place: Home) -> None:
    place.data.mkdir(parents=True)
    (place.data / "store.db").touch(mode=0o644)
    assert store.sessions() == []
    archive(store, "a")
    assert len(store.outputs(SESSION)) == 1
    assert os.name == "nt" or (place.data / "store.db").stat().st_mode & 0o777 == 0o600


def test_opening_a_store_twice_in_a_process_lets_go_of_no_lock(store: Store, place: Home) -> None:
    archive(store, "a")
    store.close()
    assert len(store.outputs(SESSION)) == 1
    beside = open_store(place)
    assert len(beside.outputs(SESSION)) == 1
    beside.close()
    # The last to close a store takes its log away: another process must see that it is not the last.
    script = "import sqlite3, sys; c = sqlite3.connect(sys.argv[1]); c.execute('SELECT * FROM outputs'); c.close()"
    subprocess.run([sys.executable, "-c", script, str(place.data / "store.db")], check=True)
    assert (place.data / "store.db-wal").exists()


@pytest.mark.requirement("REC-LAST")
def test_a_store_cut_short_is_an_error_and_not_an_empty_answer(store: Store, place: Home) -> None:
    outputs = archive(store, *(f"text {n} " * 200 for n in range(100)))
    store.close()
    path = place.data / "store.db"
    os.truncate(path, path.stat().st_size // 2)
    with pytest.raises(StoreError):
        assert len(store.outputs(SESSION)) == len(outputs)


def newer_store(place: Home) -> None:
    store = open_store(place, migrations=NEXT)
    archive(store, "from the future")
    store.close()


def newer_store_of_a_killed_writer(place: Home) -> None:
    """The migration stands in the log only, as if nobody had lived to move it to the file."""
    store = open_store(place)
    archive(store, "from the past")
    store.close()
    newer = open_store(place, migrations=NEXT)
    archive(newer, "from the future")
    files = {path: path.read_bytes() for path in place.data.iterdir() if path.is_file()}
    newer.close()
    for path, data in files.items():
        path.write_bytes(data)
        path.chmod(0o600)
    (place.data / "store.db-shm").unlink()


@pytest.mark.parametrize("make", [newer_store, newer_store_of_a_killed_writer])
def test_a_store_of_a_newer_version_is_refused_in_one_sentence_and_nothing_is_written(
    store: Store, place: Home, make: Callable[[Home], None]
) -> None:
    make(place)
    before = files_below(place.data)
    for attempt in (store.sessions, store.version, lambda: archive(store, "a"), lambda: store.body("0" * 64)):
        with pytest.raises(StoreNewer, match="update prune-mcp") as error:
            attempt()
        assert str(place.data / "store.db") in str(error.value)
        assert str(error.value).count(". ") == 0
    store.close()
    after = files_below(place.data)
    # The log's index holds nothing of its own.
    after.pop("store.db-shm", None)
    assert after == before


def test_a_store_migrated_while_an_older_version_has_it_open_is_not_written_by_that(
    store: Store, place: Home
) -> None:
    archive(store, "a")
    newer = open_store(place, migrations=NEXT)
    archive(newer, "b")
    with pytest.raises(StoreNewer):
        archive(store, "c")
    assert len(newer.outputs(SESSION)) == 2
    newer.close()


@pytest.mark.skipif(os.name == "nt", reason="Windows keeps open files from being moved")
@pytest.mark.parametrize("replaced", [False, True])
def test_a_store_moved_away_while_in_use_is_not_written_to(store: Store, place: Home, replaced: bool) -> None:
    archive(store, "a")
    path = place.data / "store.db"
    path.rename(place.data / "moved.db")
    if replaced:
        path.touch()
    with pytest.raises(StoreError, match="moved, deleted or replaced"):
        archive(store, "b")


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
@pytest.mark.parametrize("in_use", [False, True])
def test_a_store_in_a_read_only_folder_is_read_and_its_writing_is_refused(
    common_place: Home, in_use: bool
) -> None:
    data = common_place.data
    with unprivileged():
        writer = open_store(common_place)
        large = large_text("large")
        outputs = archive(writer, "a", large)
        if not in_use:
            writer.close()
        for path in [*data.rglob("*"), data]:
            path.chmod(0o500 if path.is_dir() else 0o400)
        reader = open_store(common_place)
        try:
            assert reader.outputs(SESSION) == outputs
            assert reader.body(outputs[1].sha) == large.encode()
            with pytest.raises(StoreError, match="read and write rights") as error:
                archive(reader, "b")
            assert str(data / "store.db") in str(error.value)
            assert reader.outputs(SESSION) == outputs
        finally:
            data.chmod(0o700)
            reader.close()
            writer.close()


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
@pytest.mark.parametrize("name", ["", "store.db"])
def test_a_store_that_may_not_be_read_is_named(common_place: Home, name: str) -> None:
    with unprivileged():
        store = open_store(common_place)
        archive(store, "a")
        store.close()
        closed = common_place.data / name
        mode = closed.stat().st_mode
        closed.chmod(0)
        with pytest.raises(StoreError, match="read and write rights") as error:
            store.sessions()
        assert str(common_place.data / "store.db") in str(error.value)
        closed.chmod(mode)
        assert len(store.outputs(SESSION)) == 1
        store.close()
