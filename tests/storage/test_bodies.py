"""Bodies come back byte for byte, or the damage is said."""

from __future__ import annotations

import os
import random
import sqlite3
import tracemalloc
from collections.abc import Callable
from pathlib import Path

import pytest

from prune_mcp.storage.bodies import LARGE, TINY
from prune_mcp.storage.codec import digest, encode
from prune_mcp.storage.errors import BodyDamaged, StoreError
from prune_mcp.storage.home import Home
from prune_mcp.storage.protocol import Store
from tests.storage.examples import SESSION, archive, large_text

NOISE = random.Random(7).randbytes(5_000_000)
BODIES = {
    "empty": b"",
    "NULs": b"\0" * 3000,
    "lone surrogates": encode("a\ud800b\udfff" * 500),
    "tiny": b"x" * (TINY - 1),
    "text": b"some words of a text, again and again\n" * 40,
    "not quite large": b"y" * (LARGE - 1),
    "large": b"z" * LARGE,
    "large noise": NOISE[:LARGE],
    "noise": NOISE[:5000],
    "5 MB of text": b"all work and no play\n" * 250_000,
    "5 MB of noise": NOISE,
}


def body_files(place: Home) -> list[Path]:
    return [path for path in (place.data / "bodies").glob("*/*") if path.is_file()]


@pytest.mark.requirement("REC-LAST", "REC-SURROGATE")
@pytest.mark.parametrize("name", BODIES)
def test_a_body_comes_back_byte_for_byte(
    store: Store, reopened: Callable[[], Store], place: Home, name: str
) -> None:
    data = BODIES[name]
    with store.write() as writer:
        sha = writer.body(data)
    assert sha == digest(data)
    assert reopened().body(sha) == data
    assert len(body_files(place)) == (len(data) >= LARGE)


def test_a_large_body_stands_compressed_in_a_file_of_its_own_where_that_pays(store: Store, place: Home) -> None:
    with store.write() as writer:
        text, noise = writer.body(BODIES["5 MB of text"]), writer.body(NOISE)
    files = {path.relative_to(place.data / "bodies").as_posix(): path.stat().st_size for path in body_files(place)}
    assert set(files) == {f"{text[:2]}/{text}.z", f"{noise[:2]}/{noise}"}
    assert files[f"{text[:2]}/{text}.z"] < 100_000
    assert files[f"{noise[:2]}/{noise}"] == len(NOISE)


def test_a_large_body_is_kept_without_a_second_copy_of_it(store: Store) -> None:
    archive(store, "a")
    data = NOISE * 4
    tracemalloc.start()
    try:
        with store.write() as writer:
            writer.body(data)
        _, most = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    assert most < len(data) // 10


def test_equal_bodies_are_kept_once(store: Store, place: Home) -> None:
    for session in ("one", "two"):
        archive(store, large_text("same"), session=session)
    assert len(body_files(place)) == 1


def test_a_body_never_stored_is_named(store: Store) -> None:
    archive(store, "a")
    with pytest.raises(BodyDamaged, match="0" * 64):
        store.body("0" * 64)
    with pytest.raises(BodyDamaged, match="no sha"):
        store.body("no sha\ud800")


def spoil_by_deleting(path: Path) -> None:
    path.unlink()


def spoil_by_cutting(path: Path) -> None:
    os.truncate(path, path.stat().st_size - 1)


def spoil_by_emptying(path: Path) -> None:
    path.write_bytes(b"")


def spoil_one_byte(path: Path) -> None:
    data = bytearray(path.read_bytes())
    data[len(data) // 2] ^= 1
    path.write_bytes(data)


def spoil_by_adding(path: Path) -> None:
    path.write_bytes(path.read_bytes() + b"x")


PACKED, PLAIN = BODIES["large"], BODIES["large noise"]
SPOILERS = (spoil_by_deleting, spoil_by_cutting, spoil_by_emptying, spoil_one_byte)
# A byte behind the end of a compressed stream harms nothing.
SPOILED = [*((spoil, data) for spoil in SPOILERS for data in (PACKED, PLAIN)), (spoil_by_adding, PLAIN)]


@pytest.mark.requirement("REC-LAST")
@pytest.mark.parametrize(("spoil", "data"), SPOILED)
def test_a_damaged_file_is_named_and_never_shortened_in_silence(
    store: Store, place: Home, spoil: Callable[[Path], None], data: bytes
) -> None:
    with store.write() as writer:
        sha, other = writer.body(data), writer.body(b"other")
    (path,) = body_files(place)
    spoil(path)
    with pytest.raises(BodyDamaged, match=sha) as error:
        store.body(sha)
    assert str(path) in str(error.value)
    assert store.body(other) == b"other"


@pytest.mark.parametrize("spoil", [spoil_by_deleting, spoil_by_emptying])
def test_a_large_body_whose_file_is_gone_comes_back_with_its_next_archiving(
    store: Store, place: Home, spoil: Callable[[Path], None]
) -> None:
    (output,) = archive(store, large_text("lost"))
    (path,) = body_files(place)
    spoil(path)
    archive(store, large_text("lost"))
    assert store.body(output.sha) == encode(large_text("lost"))


@pytest.mark.requirement("REC-LAST")
@pytest.mark.parametrize(
    "change",
    [
        "data = substr(data, 1, length(data) - 1)",
        "data = CAST(replace(hex(data), '7', '8') AS BLOB)",
        "data = NULL",
        "data = 'text'",
        "size = size + 1",
        "size = 1 << 60",
        "size = 'many'",
        "packing = 1 - packing",
        "packing = 7",
        "sha = 'x' || sha",
    ],
)
@pytest.mark.parametrize("text", ["tiny", "long enough to be compressed " * 20])
def test_a_damaged_row_is_named_and_never_shortened_in_silence(
    store: Store, place: Home, change: str, text: str
) -> None:
    with store.write() as writer:
        sha = writer.body(encode(text))
    connection = sqlite3.connect(place.data / "store.db")
    with connection:
        connection.execute(f"UPDATE bodies SET {change}")
    connection.close()
    with pytest.raises(BodyDamaged, match=sha) as error:
        store.body(sha)
    assert str(place.data) in str(error.value)


@pytest.mark.requirement("REC-LAST")
def test_any_spoiled_byte_of_the_store_file_gives_the_body_or_an_error(store: Store, place: Home) -> None:
    outputs = archive(store, *(f"{n} {'words of an output ' * n}" for n in range(60)))
    bodies = {output.sha: store.body(output.sha) for output in outputs}
    store.close()
    path = place.data / "store.db"
    good = path.read_bytes()
    chance = random.Random(3)
    refused = 0
    for _ in range(60):
        spoiled = bytearray(good)
        for _ in range(20):
            spoiled[chance.randrange(len(good))] ^= 1 << chance.randrange(8)
        path.write_bytes(spoiled)
        for sha, data in bodies.items():
            try:
                assert store.body(sha) == data
            except StoreError:
                refused += 1
        store.close()
        for beside in ("-wal", "-shm"):
            path.with_name(path.name + beside).unlink(missing_ok=True)
    assert refused > 0


def test_what_a_killed_writer_left_is_taken_away_once_it_is_old(store: Store, place: Home) -> None:
    unfinished = place.data / "bodies" / "unfinished"
    unfinished.mkdir(parents=True)
    old, young = unfinished / "old", unfinished / "young"
    for path in (old, young):
        path.write_bytes(b"half")
    os.utime(old, (0, 0))
    archive(store, large_text("large"))
    assert list(unfinished.iterdir()) == [young]


def test_a_record_that_is_unreadable_is_an_error_of_the_store(store: Store, place: Home) -> None:
    archive(store, "a")
    connection = sqlite3.connect(place.data / "store.db")
    with connection:
        connection.execute("INSERT INTO flushes VALUES (1, 1, '[{', '', 0, 0, 0, '')")
        connection.execute("UPDATE outputs SET stub = x'ff'")
    connection.close()
    with pytest.raises(StoreError, match="record is unreadable"):
        store.flushes(SESSION)
    with pytest.raises(StoreError, match="record is unreadable"):
        store.outputs(SESSION)
