"""Where the user's data, cache and settings stand, and who may read them."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from pathlib import Path

import pytest

from prune_mcp.storage.errors import StoreError
from prune_mcp.storage.home import Home, home
from prune_mcp.storage.protocol import Store
from prune_mcp.storage.records import SessionRecord
from prune_mcp.storage.sqlite import open_store
from tests.storage.examples import archive, large_text


def test_one_variable_moves_data_cache_and_settings_into_one_folder(tmp_path: Path) -> None:
    assert home({"PRUNE_MCP_HOME": str(tmp_path)}) == Home(
        data=tmp_path / "data", cache=tmp_path / "cache", config=tmp_path / "config"
    )


def test_the_variable_may_name_a_folder_below_the_users_own() -> None:
    assert home({"PRUNE_MCP_HOME": "~/of-mine"}).data == Path.home() / "of-mine" / "data"


@pytest.mark.parametrize("env", [{}, {"PRUNE_MCP_HOME": ""}])
def test_without_the_variable_the_platform_says_where(env: dict[str, str]) -> None:
    folders = home(env)
    assert all("prune-mcp" in folder.parts for folder in (folders.data, folders.cache, folders.config))
    assert folders.data.is_absolute()


def test_the_platform_is_asked_only_when_the_variable_is_not_set() -> None:
    script = (
        "import sys; from prune_mcp.storage.home import home; home({'PRUNE_MCP_HOME': '/x'});"
        "print('platformdirs' in sys.modules)"
    )
    assert subprocess.check_output([sys.executable, "-c", script], text=True) == "False\n"


def test_reading_a_store_that_is_not_there_makes_nothing(store: Store, place: Home) -> None:
    assert store.sessions() == []
    assert store.session("any") is None
    assert store.outputs("any") == []
    assert store.occurrences(["any"]) == []
    assert store.version() == store.version()
    store.close()
    assert not place.data.parent.exists()


@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
@pytest.mark.parametrize("umask", [0o000, 0o022])
def test_folders_and_files_are_for_the_user_alone(store: Store, place: Home, umask: int) -> None:
    before = os.umask(umask)
    try:
        archive(store, "small", large_text("large"))
        root = place.data.parent
        modes = {path: stat.S_IMODE(path.stat().st_mode) for path in [root, *root.rglob("*")]}
    finally:
        os.umask(before)
    assert {mode for path, mode in modes.items() if path.is_dir()} == {0o700}
    assert {mode for path, mode in modes.items() if path.is_file()} == {0o600}
    assert {"store.db", "store.db-wal", "store.db-shm"} <= {path.name for path in modes}


def test_a_file_in_the_place_of_the_home_is_named_and_left_alone(place: Home, store: Store) -> None:
    root = place.data.parent
    root.write_text("mine")
    with pytest.raises(StoreError, match="PRUNE_MCP_HOME") as error, store.write() as writer:
        writer.session(SessionRecord("s"))
    assert str(root) in str(error.value)
    assert root.read_text() == "mine"


@pytest.mark.usefixtures("plain_user")
@pytest.mark.skipif(os.name == "nt", reason="Windows has no such modes")
def test_a_home_that_cannot_be_made_is_named_with_what_to_do(common_place: Home) -> None:
    root = common_place.data.parent
    root.mkdir(mode=0o500)
    with pytest.raises(StoreError, match="set PRUNE_MCP_HOME to a folder you can write to") as error:
        archive(open_store(common_place), "text")
    assert str(common_place.data) in str(error.value)
    assert list(root.iterdir()) == []
