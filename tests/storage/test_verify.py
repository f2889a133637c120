"""A check finds every fault, names it, and finds none in a whole store; a damaged body is mended."""

from __future__ import annotations

import os
import re
import sqlite3
from collections.abc import Callable
from pathlib import Path

import pytest

from prune_mcp.storage.care_records import Fault, Holder
from prune_mcp.storage.errors import BodyDamaged
from prune_mcp.storage.home import Home
from prune_mcp.storage.protocol import Store
from prune_mcp.storage.records import ChainBlock, Flush
from tests.storage.examples import SESSION, archive, large_text

pytestmark = pytest.mark.requirement("REC-LAST", "SRV-STORE")

SMALL, LARGE = "a small text " * 40, large_text("large")


@pytest.fixture
def filled(store: Store) -> Store:
    """A session with a small and a large body, a facet, a block and a flush."""
    archive(store, SMALL, LARGE, "other")
    with store.write() as writer:
        writer.facet(SESSION, 1, "args", b"arguments")
        writer.block(SESSION, ChainBlock(0, "chain", "s", "e", "text", writer.body(b"document"), [1, 2]))
        writer.flush(SESSION, Flush(0, outcomes=[{"step": "x"}]))
    return store


def spoil(place: Home, statement: str) -> Callable[[], None]:
    def run() -> None:
        connection = sqlite3.connect(place.data / "store.db")
        connection.execute(statement)
        connection.commit()
        connection.close()

    return run


def file_of(store: Store, place: Home) -> Path:
    (path,) = place.data.glob(f"bodies/*/{store.outputs(SESSION)[1].sha}*")
    return path


def test_a_whole_store_has_no_fault_and_every_body_is_read(filled: Store) -> None:
    told: list[tuple[int, int]] = []
    assert list(filled.care.faults(lambda done, total: told.append((done, total)))) == []
    assert told == [(n, 5) for n in range(5)]


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda path: path.unlink(), "the file is missing"),
        (lambda path: path.write_bytes(b""), "incomplete"),
        (lambda path: os.truncate(path, 100), "incomplete"),
        (lambda path: path.write_bytes(path.read_bytes()[:-6] + b"\0" * 6), "incomplete|incorrect|invalid"),
    ],
)
def test_a_damaged_file_is_named_with_whose_it_is_and_mended(
    filled: Store, place: Home, change: Callable[[Path], object], reason: str
) -> None:
    sha = filled.outputs(SESSION)[1].sha
    path = file_of(filled, place)
    change(path)
    (fault,) = filled.care.faults()
    assert fault.sha == sha
    assert re.search(reason, fault.what)
    assert str(path) in fault.what
    assert filled.care.holders(sha) == [Holder(SESSION, 2, "text")]
    filled.care.mend(sha, LARGE.encode())
    assert filled.body(sha) == LARGE.encode()
    assert list(filled.care.faults()) == []


@pytest.mark.parametrize(
    "statement",
    [
        "UPDATE bodies SET data = x'00ff' WHERE sha = '{sha}'",
        "UPDATE bodies SET packing = 7 WHERE sha = '{sha}'",
        "UPDATE bodies SET data = NULL WHERE sha = '{sha}'",
        "DELETE FROM bodies WHERE sha = '{sha}'",
    ],
)
def test_a_damaged_row_of_a_body_is_found_and_mended(filled: Store, place: Home, statement: str) -> None:
    sha = filled.outputs(SESSION)[0].sha
    spoil(place, statement.format(sha=sha))()
    assert [fault.sha for fault in filled.care.faults()] == [sha]
    with pytest.raises(BodyDamaged):
        filled.body(sha)
    filled.care.mend(sha, SMALL.encode())
    assert filled.body(sha) == SMALL.encode()
    assert list(filled.care.faults()) == []


def test_only_the_bytes_of_the_body_mend_it(filled: Store) -> None:
    sha = filled.outputs(SESSION)[0].sha
    with pytest.raises(ValueError, match="not the bytes"):
        filled.care.mend(sha, b"something else")
    assert filled.body(sha) == SMALL.encode()


@pytest.mark.parametrize(
    ("statement", "what"),
    [
        ("UPDATE sessions SET next_ref = 3", "an output has a number that was never given out"),
        ("UPDATE sessions SET next_block = 1", "a block has a number that was never given out"),
        ("UPDATE sessions SET flushes = 0", "a prune has a number that was never given out"),
        ("UPDATE outputs SET state = 'stub' WHERE ref = 2", "an output was decided on, yet nothing stands for it"),
        ("UPDATE blocks SET refs = '[1, 2'", "a block's lists cannot be read"),
        ("UPDATE blocks SET refs = '[1, 9]'", "a block names an output that is not there"),
        ("UPDATE flushes SET outcomes = 'nonsense'", "what a prune decided cannot be read"),
    ],
)
def test_records_that_do_not_fit_together_are_told(filled: Store, place: Home, statement: str, what: str) -> None:
    spoil(place, statement)()
    assert list(filled.care.faults()) == [Fault(f"session {SESSION}: {what}")]


def test_records_without_a_session_are_told(filled: Store, place: Home) -> None:
    spoil(place, "DELETE FROM sessions")()
    assert Fault("3 records in outputs are of no session") in list(filled.care.faults())


def test_a_page_that_the_disk_spoiled_is_told_and_the_rest_is_read(filled: Store, place: Home) -> None:
    archive(filled, *(f"{number} {os.urandom(600).hex()}" for number in range(100)))
    filled.close()
    path = place.data / "store.db"
    data = bytearray(path.read_bytes())
    page = int.from_bytes(data[16:18], "big")
    data[-4 * page : -3 * page] = b"\xff" * page
    path.write_bytes(data)
    faults = list(filled.care.faults())
    assert faults
    assert any(str(path) in fault.what for fault in faults)
