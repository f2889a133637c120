"""Care of the store: what nothing refers to goes and nothing else; what is given up can come back."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from prune_mcp.storage.bodies import LARGE
from prune_mcp.storage.care_records import Garbage, StoreSize
from prune_mcp.storage.codec import digest
from prune_mcp.storage.errors import BodyReleased, StoreBusy, StoreNewer
from prune_mcp.storage.home import Home
from prune_mcp.storage.protocol import Store, Writer
from prune_mcp.storage.records import SessionRecord
from prune_mcp.storage.schema import MIGRATIONS
from prune_mcp.storage.sqlite import open_store
from tests.storage.examples import SESSION, archive, draft, everything_in, files_below, large_text

pytestmark = pytest.mark.requirement("SRV-STORE")

OTHER = "other"


def body_files(place: Home) -> set[Path]:
    return {path for path in (place.data / "bodies").glob("*/*") if path.is_file()}


def everything_told(store: Store) -> tuple[object, dict[str, bytes]]:
    """All records, and every body that they name."""
    shas = {output.sha for session in store.sessions() for output in store.outputs(session.id)}
    shas |= {sha for session in store.sessions() for sha in store.facets(session.id).values()}
    return everything_in(store), {sha: store.body(sha) for sha in shas}


def litter(store: Store) -> None:
    """Leave two bodies that no record names: one in a row, one in a file."""
    (output,) = archive(store, "kept")
    for data in (b"first of its name", large_text("first").encode(), b"last of its name"):
        with store.write() as writer:
            writer.facet(SESSION, output.ref, "args", data)


def abort(store: Store, text: str) -> None:
    """Break off a write that has written the file of a large body."""

    def break_off(writer: Writer) -> None:
        writer.session(SessionRecord(SESSION))
        writer.archive(SESSION, [draft("aborted", text)])
        raise LookupError

    with pytest.raises(LookupError), store.write() as writer:
        break_off(writer)


def test_a_home_without_a_store_has_nothing_to_care_for_and_gets_none(store: Store, place: Home) -> None:
    care = store.care
    assert (care.size(), care.garbage(), care.collect()) == (StoreSize(), Garbage(), Garbage())
    assert (care.latest(), care.forget([SESSION]).sessions, list(care.faults())) == ({}, 0, [])
    care.tidy()
    care.resume()
    assert not place.data.exists()


def test_what_nothing_refers_to_is_told_then_taken_away_and_nothing_else(store: Store, place: Home) -> None:
    archive(store, "small", large_text("large"), session=OTHER)
    litter(store)
    abort(store, large_text("aborted"))
    (place.data / "bodies" / "unfinished" / "tmpabc").write_bytes(b"half a body")
    (place.data / "bodies" / "notes.txt").write_bytes(b"not ours")
    before = everything_told(store)
    told = store.care.garbage()
    assert (told.bodies, told.files, told.unfinished, told.foreign) == (2, 1, 1, 0)
    assert told.unfinished_bytes == len(b"half a body")
    assert everything_told(store) == before
    went = store.care.collect()
    assert (went.bodies, went.body_bytes, went.files, went.file_bytes) == (2, told.body_bytes, 1, told.file_bytes)
    assert went.unfinished == 1
    assert everything_told(store) == before
    assert len(body_files(place)) == 1
    assert (place.data / "bodies" / "notes.txt").exists()
    store.care.tidy()
    assert store.care.garbage() == Garbage()
    assert list(store.care.faults()) == []


def test_free_pages_go_back_to_the_disk_and_the_log_is_emptied(store: Store, place: Home) -> None:
    archive(store, *(f"{number} " * 9000 for number in range(50)))
    with store.write() as writer:
        for number in range(200):
            writer.facet(SESSION, 1, "args", os.urandom(9000) + bytes([number]))
    store.care.collect()
    free = store.care.garbage().free_bytes
    assert free > 1_000_000
    before = store.care.size()
    store.care.tidy()
    after = store.care.size()
    assert after.free == 0
    assert before.database - after.database >= free
    assert (place.data / "store.db-wal").stat().st_size == 0


def test_a_log_that_another_process_still_reads_is_said_so(place: Home) -> None:
    store = open_store(place, timeout=0.2)
    archive(store, "a")
    reader = sqlite3.connect(place.data / "store.db", isolation_level=None)
    reader.execute("BEGIN")
    reader.execute("SELECT * FROM outputs").fetchall()
    archive(store, "b")
    with pytest.raises(StoreBusy, match="Try again"):
        store.care.tidy()
    reader.execute("COMMIT")
    store.care.tidy()
    reader.close()
    assert store.care.garbage() == Garbage()
    store.close()


def test_bodies_of_a_store_that_was_moved_away_are_left_alone(store: Store, place: Home) -> None:
    archive(store, large_text("of the old store"))
    before = everything_told(store)
    store.close()
    path = place.data / "store.db"
    path.rename(place.data / "aside")
    archive(store, large_text("of the new store"), session=OTHER)
    litter(store)
    told = store.care.garbage()
    went = store.care.collect()
    for found in (told, went):
        assert (found.bodies, found.files, found.foreign) == (2, 0, 1)
        assert found.foreign_bytes > 0
    store.close()
    path.unlink()
    (place.data / "aside").rename(path)
    assert everything_told(store) == before


def test_bodies_that_only_some_sessions_name_are_given_up_and_their_records_stay(store: Store) -> None:
    shared, large = "shared by both", large_text("shared too")
    archive(store, "small of mine", large_text("mine"), shared, large)
    archive(store, shared, large, "small of theirs", session=OTHER)
    archive(store, "small of mine")
    records = everything_in(store)
    own = {output.sha for output in store.outputs(SESSION)[:2]}
    latest = store.care.latest()
    assert {body.sha for body in latest[SESSION]} == own | {output.sha for output in store.outputs(SESSION)}
    assert [body.size for body in latest[OTHER]] == [len("small of theirs")]
    kept = {body.sha: body.kept for body in latest[SESSION]}
    assert store.care.release([SESSION], kept) == sum(kept[sha] for sha in own)
    assert everything_in(store) == records
    for output in store.outputs(SESSION):
        if output.sha in own:
            with pytest.raises(BodyReleased, match="given up to free space"):
                store.body(output.sha)
        else:
            assert store.body(output.sha)
    assert all(store.body(output.sha) for output in store.outputs(OTHER))
    assert store.missing(SESSION) == own
    assert {body.sha for body in store.care.latest()[SESSION]} == kept.keys() - own
    assert store.care.release([SESSION], own) == 0
    assert list(store.care.faults()) == []


@pytest.mark.parametrize("text", ["small", large_text("large")])
def test_a_body_that_was_given_up_comes_back_with_its_next_archiving(store: Store, place: Home, text: str) -> None:
    (output,) = archive(store, text)
    store.care.release([SESSION], {output.sha})
    assert body_files(place) == set()
    assert archive(store, text) == [output]
    assert store.body(output.sha) == text.encode()
    assert store.missing(SESSION) == set()


def test_bodies_that_all_given_sessions_share_are_given_up_with_them(store: Store) -> None:
    (output,) = archive(store, "shared")
    archive(store, "shared", session=OTHER)
    assert list(store.care.latest()) == [OTHER]
    assert store.care.release([SESSION], {output.sha}) == 0
    assert store.care.release([SESSION, OTHER], {output.sha}) > 0
    assert store.care.latest() == {}


def test_a_body_that_another_session_named_meanwhile_is_not_given_up(store: Store) -> None:
    (output,) = archive(store, "text")
    shas = {body.sha for body in store.care.latest()[SESSION]}
    archive(store, "text", session=OTHER)
    assert store.care.release([SESSION], shas) == 0
    assert store.body(output.sha) == b"text"


def newer(place: Home) -> None:
    store = open_store(place, migrations=(*MIGRATIONS, ("ALTER TABLE sessions ADD COLUMN mood TEXT",)))
    archive(store, "from the future", large_text("future"))
    store.close()


@pytest.mark.parametrize(
    "act",
    [
        lambda store: store.care.size(),
        lambda store: store.care.garbage(),
        lambda store: store.care.collect(),
        lambda store: store.care.release([SESSION], {"0" * 64}),
        lambda store: store.care.forget([SESSION]),
        lambda store: store.care.tidy(),
        lambda store: list(store.care.faults()),
        lambda store: store.care.mend(digest(b""), b""),
    ],
)
def test_a_newer_store_is_refused_and_left_as_it_is(
    store: Store, place: Home, act: Callable[[Store], object]
) -> None:
    newer(place)
    before = files_below(place.data)
    with pytest.raises(StoreNewer):
        act(store)
    store.close()
    assert files_below(place.data) == before


def test_lots_of_bodies_are_swept_without_looking_at_each_from_all_records(store: Store, place: Home) -> None:
    archive(store, *(f"text {number}" for number in range(3000)))
    with store.write() as writer:
        for number in range(3000):
            writer.body(f"nobody's {number}".encode())
    assert store.care.collect().bodies == 3000
    assert len(store.care.latest()[SESSION]) == 3000


def test_the_size_counts_database_log_and_files(store: Store, place: Home) -> None:
    archive(store, "a", os.urandom(LARGE).hex())
    size = store.care.size()
    assert size.database == sum((place.data / name).stat().st_size for name in ("store.db", "store.db-wal"))
    assert size.files == sum(path.stat().st_size for path in body_files(place))
    assert size.total == size.database + size.files
