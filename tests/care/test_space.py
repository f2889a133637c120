"""What is kept on disk is counted by what it is for, and a quota that is used up is told before anything goes."""

from __future__ import annotations

from pathlib import Path

import pytest

from prune_mcp.engine.care.space import LOOK_AGAIN, QuotaWatch, space
from prune_mcp.storage.home import Home

pytestmark = pytest.mark.requirement("SRV-STORE")


@pytest.fixture
def place(tmp_path: Path) -> Home:
    """A home with so many bytes of each kind."""
    home = Home(tmp_path / "data", tmp_path / "cache", tmp_path / "config")
    sizes = {
        home.data / "store.db": 1000,
        home.data / "store.db-wal": 200,
        home.data / "store.db-shm": 7777,
        home.data / "bodies" / "ab" / ("ab" * 32): 50,
        home.data / "history" / "2026-01.0.pack": 300,
        home.data / "imports" / "chatgpt" / "a.json": 40,
        home.data / "settings.json": 3,
        home.cache / "index-1" / "2026-01" / "a.seg": 500,
        home.cache / "searches" / "a.json": 6,
    }
    for path, size in sizes.items():
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(b"x" * size)
    return home


def test_each_part_is_counted_once_the_largest_first(place: Home) -> None:
    told = space(place, 0)
    assert list(told.parts.items()) == [
        ("archived outputs", 1250),
        ("search index", 500),
        ("text of past sessions", 300),
        ("imported conversations", 40),
        ("kept searches", 6),
        ("other", 3),
    ]
    assert (told.total, told.over, told.warning) == (2099, 0, "")


def test_a_cache_inside_the_data_folder_is_not_counted_twice(place: Home) -> None:
    inside = Home(place.data, place.data / "Cache", place.data / "config")
    (place.data / "config").mkdir()
    (place.data / "config" / "config.toml").write_text("keep_turns = 1")
    place.cache.rename(inside.cache)
    assert space(inside, 0).total == 2099


def test_a_home_that_is_not_there_takes_no_space(tmp_path: Path) -> None:
    assert space(Home(tmp_path / "a", tmp_path / "b", tmp_path / "c"), 10).total == 0


@pytest.mark.parametrize(
    ("quota", "over", "told"),
    [(0, 0, ""), (2400, 0, ""), (2300, 0, "nearly all of"), (2000, 99, "more than")],
)
def test_the_quota_is_told_when_it_is_nearly_used_up(place: Home, quota: int, over: int, told: str) -> None:
    seen = space(place, quota)
    assert seen.over == over
    assert told in seen.warning
    assert bool(seen.warning) == bool(told)
    assert not told or "--dry-run" in seen.warning


def test_prunes_are_told_of_the_quota_and_the_disk_is_looked_at_now_and_then(place: Home) -> None:
    now = 0.0
    watch = QuotaWatch(place, 2000, lambda: now)
    (diagnostic,) = watch.diagnostics()
    assert (diagnostic["kind"], diagnostic["key"]) == ("quota", "quota_bytes")
    assert "more than" in str(diagnostic["detail"])
    (place.data / "store.db").unlink()
    assert watch.diagnostics() == [diagnostic]
    now = LOOK_AGAIN
    assert watch.diagnostics() == []
    assert QuotaWatch(place, 0).diagnostics() == []
