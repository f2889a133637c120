"""A store is brought to a newer version step by step, each of them whole or not at all."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from prune_mcp.storage.errors import StoreError
from prune_mcp.storage.home import Home
from prune_mcp.storage.schema import MIGRATIONS, Migration
from prune_mcp.storage.sqlite import open_store
from tests.storage.examples import archive, asked, everything_in

MOOD = ("ALTER TABLE sessions ADD COLUMN mood TEXT NOT NULL DEFAULT 'calm'",)
MOODS = ("CREATE TABLE moods (mood TEXT)", "INSERT INTO moods SELECT mood FROM sessions")
BROKEN = ("CREATE TABLE half (x)", "INSERT INTO nowhere VALUES (1)")


def test_a_store_is_migrated_step_by_step_when_it_is_opened(place: Home) -> None:
    store = open_store(place)
    archive(store, "a")
    kept = everything_in(store)
    store.close()
    store = open_store(place, migrations=(*MIGRATIONS, MOOD, MOODS))
    assert everything_in(store) == kept
    store.close()
    path = place.data / "store.db"
    assert asked(path, "SELECT mood FROM moods") == [("calm",)]
    assert asked(path, "PRAGMA user_version") == [(len(MIGRATIONS) + 2,)]


def test_a_step_that_fails_leaves_the_version_before_it(place: Home) -> None:
    store = open_store(place)
    archive(store, "a")
    kept = everything_in(store)
    store.close()
    broken = open_store(place, migrations=(*MIGRATIONS, MOOD, BROKEN))
    with pytest.raises(StoreError, match="nowhere"):
        broken.sessions()
    path = place.data / "store.db"
    assert asked(path, "PRAGMA user_version") == [(len(MIGRATIONS) + 1,)]
    assert asked(path, "SELECT name FROM sqlite_master WHERE name = 'half'") == []
    store = open_store(place, migrations=(*MIGRATIONS, MOOD))
    assert everything_in(store) == kept
    store.close()


def test_a_store_is_new_and_old_alike_after_its_migrations(place: Home, tmp_path: Path) -> None:
    steps: Sequence[Migration] = (*MIGRATIONS, MOOD)
    old = open_store(place)
    archive(old, "a")
    old.close()
    new = Home(tmp_path / "new", tmp_path, tmp_path)
    tables = []
    for home in (place, new):
        store = open_store(home, migrations=steps)
        archive(store, "a")
        store.close()
        tables.append(asked(home.data / "store.db", "SELECT name, sql FROM sqlite_master ORDER BY name"))
    assert tables[0] == tables[1]


def test_many_that_migrate_at_once_do_each_step_once(place: Home) -> None:
    first = open_store(place)
    archive(first, "a")
    first.close()
    stores = [open_store(place, migrations=(*MIGRATIONS, MOOD, MOODS)) for _ in range(8)]
    with ThreadPoolExecutor(8) as pool:
        assert len({len(found) for found in pool.map(lambda store: store.sessions(), stores)}) == 1
    for store in stores:
        store.close()
    assert asked(place.data / "store.db", "SELECT count(*) FROM moods") == [(1,)]
