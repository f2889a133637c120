"""A store that version 1 wrote (`version_1/`, as it left it) is taken over whole."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from prune_mcp.storage.home import Home
from prune_mcp.storage.protocol import Store
from prune_mcp.storage.records import ModelUsage, Recoveries
from prune_mcp.storage.schema import MIGRATIONS
from tests.storage.examples import asked

LEFT = Path(__file__).with_name("version_1")
SECOND = "second \udfff"


@pytest.fixture
def old(place: Home) -> Path:
    """The home's store, as version 1 left it; its file."""
    shutil.copytree(LEFT, place.data)
    return place.data / "store.db"


@pytest.mark.requirement("SRV-STORE", "REC-LAST")
def test_a_store_of_version_1_keeps_every_record_and_every_body(old: Path, store: Store) -> None:
    assert asked(old, "PRAGMA user_version") == [(1,)]
    rows = asked(old, "SELECT * FROM outputs ORDER BY session, ref")
    assert [session.id for session in store.sessions()] == [SECOND, "first"]
    assert [len(store.outputs(session)) for session in (SECOND, "first")] == [5, 31]
    assert [len(store.flushes(session)) for session in (SECOND, "first")] == [1, 2]
    blocks = store.blocks("first")
    assert [block.kind for block in blocks] == ["chain"] * 5 + ["thinking"] * 3
    assert {block.words for block in blocks} == {-1}
    bodies = [output.sha for session in (SECOND, "first") for output in store.outputs(session)]
    assert all(store.body(sha) is not None for sha in (*bodies, *(block.document for block in blocks)))
    assert store.body(store.outputs("first")[17].sha).startswith(b"\xed\xa0\x80 deploy step 0000")
    store.close()
    assert asked(old, "PRAGMA user_version") == [(len(MIGRATIONS),)]
    assert asked(old, "SELECT * FROM outputs ORDER BY session, ref") == rows
    assert asked(old, "PRAGMA foreign_key_check") == []


def test_a_store_of_version_1_is_charged_from_then_on(old: Path, store: Store) -> None:
    assert store.recoveries("first") == Recoveries()
    assert store.model_usage("first") == []
    with store.write() as writer:
        writer.charge_recovery("first", Recoveries(1, 40))
        writer.charge_model("first", ModelUsage("small", 1, 300, 20, 0.25))
        writer.charge_model("first", ModelUsage("small", 1, 100, 10, 0.5))
    assert store.recoveries("first") == Recoveries(1, 40)
    assert store.model_usage("first") == [ModelUsage("small", 2, 400, 30, 0.75)]
    assert [session.id for session in store.sessions()] == [SECOND, "first"]
