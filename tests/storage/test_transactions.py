"""A write is kept whole or not at all, whoever else reads and writes."""

from __future__ import annotations

import sqlite3
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest

from prune_mcp.storage.errors import BodyDamaged, StoreBusy, StoreError
from prune_mcp.storage.home import Home
from prune_mcp.storage.protocol import Store
from prune_mcp.storage.records import ChainBlock, Diagnostic, Flush, Output, SessionRecord
from prune_mcp.storage.sqlite import open_store
from tests.storage.examples import SESSION, archive, draft, everything_in, large_text

Reopen = Callable[[], Store]


def write_some_of_all(store: Store) -> None:
    """A write with a step of each kind that ends in an error of the caller."""
    with store.write() as writer:
        writer.session(SessionRecord("new"))
        writer.archive(SESSION, [draft("more", "more")])
        writer.facet(SESSION, 1, "args", b"{}")
        writer.block(SESSION, ChainBlock(0, "chain", "a", "b", "text", writer.body(large_text("x").encode())))
        writer.flush(SESSION, Flush(0, frontier=1))
        writer.diagnose(SESSION, [Diagnostic("kind", "key", "detail")])
        raise LookupError("the caller's own")


def test_an_error_inside_a_write_keeps_nothing_and_comes_through(store: Store, reopened: Reopen) -> None:
    archive(store, "a")
    before = everything_in(store)
    with pytest.raises(LookupError, match="the caller's own"):
        write_some_of_all(store)
    assert everything_in(store) == before
    assert everything_in(reopened()) == before
    assert [o.ref for o in archive(store, "b")] == [2]


def test_a_step_that_failed_fails_the_whole_write_even_if_the_caller_goes_on(store: Store) -> None:
    archive(store, "a")
    before = everything_in(store)

    def go_on() -> None:
        with store.write() as writer:
            writer.archive(SESSION, [draft("b", "b")])
            with pytest.raises(StoreError, match="lacks some"):
                writer.decide(SESSION, [Output(1, "", "", ""), Output(9, "", "", "")])
            with pytest.raises(StoreError, match="failed before"):
                writer.archive(SESSION, [draft("c", "c")])

    with pytest.raises(StoreError, match="nothing of it was kept"):
        go_on()
    assert everything_in(store) == before


def test_drafts_that_break_off_keep_nothing(store: Store) -> None:
    archive(store, "a")

    def torn() -> Iterator[Output]:
        yield Output(1, "", "", "", state="stub")
        raise LookupError("torn")

    with pytest.raises(LookupError), store.write() as writer:
        writer.decide(SESSION, torn())
    assert [o.state for o in store.outputs(SESSION)] == ["whole"]


def test_a_writer_is_of_no_use_after_its_write(store: Store) -> None:
    archive(store, "a")
    with store.write() as writer:
        pass
    with pytest.raises(StoreError, match="has ended"):
        writer.flush(SESSION, Flush(0))
    assert store.flushes(SESSION) == []


def test_a_write_inside_a_write_is_refused_and_the_outer_one_goes_on(store: Store) -> None:
    with store.write() as writer:
        writer.session(SessionRecord(SESSION))
        with pytest.raises(StoreError, match="writing to the store already"):
            archive(store, "inner")
        writer.archive(SESSION, [draft("outer", "outer")])
    assert [o.call_id for o in store.outputs(SESSION)] == ["outer"]


def test_a_write_is_seen_by_its_own_thread_at_once_and_by_others_when_it_is_kept(
    store: Store, reopened: Reopen
) -> None:
    archive(store, "a")
    other = reopened()
    with store.write() as writer:
        writer.archive(SESSION, [draft("b", "b")])
        assert len(store.outputs(SESSION)) == 2
        assert len(other.outputs(SESSION)) == 1
    assert len(other.outputs(SESSION)) == 2


def test_the_version_changes_when_another_connection_writes_and_not_by_own_writes(
    store: Store, reopened: Reopen
) -> None:
    archive(store, "a")
    other = reopened()
    before = store.version()
    archive(store, "b")
    other.outputs(SESSION)
    assert store.version() == before
    archive(other, "c")
    after = store.version()
    assert after != before
    assert store.version() == after
    store.close()
    assert store.version() not in (before, after)


def test_a_store_locked_for_too_long_is_said_and_nothing_is_kept(place: Home) -> None:
    store = open_store(place, timeout=0.05)
    archive(store, "a")
    holder = sqlite3.connect(place.data / "store.db", isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    with pytest.raises(StoreBusy, match="Try again"):
        archive(store, "b")
    assert len(store.outputs(SESSION)) == 1
    holder.execute("ROLLBACK")
    holder.close()
    assert [o.ref for o in archive(store, "b")] == [2]
    store.close()


def test_a_thread_that_waits_too_long_for_another_says_so(place: Home) -> None:
    store = open_store(place, timeout=0.05)
    archive(store, "a")
    began, done = threading.Event(), threading.Event()

    def hold() -> None:
        with store.write():
            began.set()
            done.wait(60)

    with ThreadPoolExecutor(1) as pool:
        held = pool.submit(hold)
        assert began.wait(60)
        with pytest.raises(StoreBusy, match="another thread"):
            archive(store, "b")
        done.set()
        held.result()
    assert [o.ref for o in archive(store, "b")] == [2]
    store.close()


def test_many_threads_on_one_store_lose_and_double_nothing(store: Store) -> None:
    def work(thread: int) -> list[tuple[str, int]]:
        acknowledged = []
        for number in range(25):
            session = ("common", f"own-{thread}")[number % 2]
            mark = f"{thread}-{number}"
            text = large_text(mark) if number % 10 == 0 else mark
            (output,) = archive(store, text, session=session)
            assert store.body(output.sha) == text.encode()
            assert output in store.outputs(session)
            acknowledged.append((session, output.ref))
        return acknowledged

    with ThreadPoolExecutor(8) as pool:
        acknowledged = [each for result in pool.map(work, range(8)) for each in result]
    assert len(set(acknowledged)) == 200
    kept = [(record.id, o.ref) for record in store.sessions() for o in store.outputs(record.id)]
    assert sorted(kept) == sorted(acknowledged)


@pytest.mark.parametrize("attempt", range(5))
def test_many_that_make_the_store_at_once_make_one(place: Home, attempt: int) -> None:
    stores = [open_store(place) for _ in range(8)]
    with ThreadPoolExecutor(8) as pool:
        made = list(pool.map(lambda number: archive(stores[number], f"{attempt}-{number}"), range(8)))
    assert sorted(output.ref for outputs in made for output in outputs) == list(range(1, 9))
    for store in stores:
        assert len(store.outputs(SESSION)) == 8
        store.close()


def test_a_store_that_another_process_is_just_making_is_waited_for(
    place: Home, monkeypatch: pytest.MonkeyPatch
) -> None:
    place.data.mkdir(parents=True)
    holder = sqlite3.connect(place.data / "store.db", isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    waits: list[float] = []

    def wait(seconds: float) -> None:
        waits.append(seconds)
        holder.close()

    monkeypatch.setattr(time, "sleep", wait)
    store = open_store(place)
    assert [o.ref for o in archive(store, "a")] == [1]
    assert len(waits) == 1
    store.close()


def test_a_body_whose_write_was_undone_is_not_there(store: Store) -> None:
    def undone() -> None:
        with store.write() as writer:
            shas.append(writer.body(large_text("undone").encode()))
            raise LookupError

    shas: list[str] = []
    with pytest.raises(LookupError):
        undone()
    with pytest.raises(BodyDamaged):
        store.body(shas[0])
    (output,) = archive(store, large_text("undone"))
    assert store.body(output.sha) == large_text("undone").encode()
