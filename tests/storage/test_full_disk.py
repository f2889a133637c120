"""On a full disk a write is refused whole; what was there before is there after."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from prune_mcp.storage.errors import StoreFull
from prune_mcp.storage.home import Home
from prune_mcp.storage.protocol import Store
from prune_mcp.storage.sqlite import open_store
from tests.storage.examples import SESSION, archive, everything_in

resource = pytest.importorskip("resource", reason="only POSIX systems limit the size of files")


@contextmanager
def no_file_over(size: int) -> Iterator[None]:
    """As on a disk that has room for files of `size` bytes only."""
    before = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, before)


def noise(number: int, size: int) -> str:
    """A text that hardly compresses."""
    return random.Random(number).randbytes(size // 2).hex()


def texts(write: int, size: int) -> list[str]:
    """What one write archives."""
    return [noise(write * 3 + number, size) for number in range(3)]


@pytest.mark.parametrize("size", [3_000, 300_000], ids=["in the database", "in files"])
@pytest.mark.parametrize("limit", [0, 100, 5_000, 90_000, 140_000, 400_000])
def test_a_full_disk_keeps_nothing_of_the_write_and_everything_before_it(
    store: Store, reopened: Callable[[], Store], limit: int, size: int
) -> None:
    archive(store, "before")
    kept = [everything_in(store)]

    def write_until_full() -> None:
        while len(kept) < 200:
            archive(store, *texts(len(kept), size))
            kept.append(everything_in(store))

    with no_file_over(limit):
        with pytest.raises(StoreFull, match="Free disk space"):
            write_until_full()
        assert everything_in(store) == kept[-1]
    assert everything_in(reopened()) == kept[-1]
    again = texts(len(kept), size)
    outputs = archive(store, *again)
    assert [o.ref for o in outputs] == [len(kept) * 3 - 1, len(kept) * 3, len(kept) * 3 + 1]
    assert [store.body(o.sha).decode() for o in outputs] == again


@pytest.mark.parametrize("limit", [0, 100, 5_000, 20_000])
def test_a_store_that_finds_no_room_to_be_made_is_made_once_there_is(place: Home, limit: int) -> None:
    store = open_store(place, timeout=1)
    with no_file_over(limit), pytest.raises(StoreFull):
        archive(store, "a")
    assert store.sessions() == []
    assert [o.ref for o in archive(store, "a")] == [1]
    store.close()


def test_a_store_on_a_full_disk_is_read(store: Store) -> None:
    archive(store, "before")
    kept = everything_in(store)
    store.close()
    with no_file_over(0):
        assert everything_in(store) == kept


def test_a_store_that_finds_no_room_to_be_written_anew_stays_as_it_is(store: Store) -> None:
    archive(store, *texts(1, 40_000))
    with store.write() as writer:
        for number in range(20):
            writer.facet(SESSION, 1, "args", noise(number, 40_000).encode())
    store.care.collect()
    kept = everything_in(store)
    with no_file_over(30_000), pytest.raises(StoreFull, match="Free disk space"):
        store.care.tidy()
    assert everything_in(store) == kept
    assert list(store.care.faults()) == []
    store.care.tidy()
    assert store.care.size().free == 0


def test_an_unfinished_body_is_not_left_behind(store: Store, place: Home) -> None:
    archive(store, "before")
    with no_file_over(200_000), pytest.raises(StoreFull):
        archive(store, noise(1, 1_000_000))
    assert [path for path in (place.data / "bodies").rglob("*") if path.is_file()] == []
