"""A store on disk and a shelf to put outputs on."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from prune_mcp.storage.home import Home, home
from prune_mcp.storage.protocol import Store
from prune_mcp.storage.sqlite import open_store
from tests.recovery.shelf import Shelf


@pytest.fixture
def place(tmp_path: Path) -> Home:
    """A home that does not exist yet."""
    return home({"PRUNE_MCP_HOME": str(tmp_path / "home")})


@pytest.fixture
def store(place: Home) -> Iterator[Store]:
    """The store of that home."""
    store = open_store(place)
    yield store
    store.close()


@pytest.fixture
def shelf(store: Store) -> Shelf:
    """The session `alpha-session` of that store."""
    return Shelf(store)
