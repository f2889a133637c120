"""What the tests of the store do to the home that they have it in."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from prune_mcp.storage.home import Home, home
from prune_mcp.storage.protocol import Store
from prune_mcp.storage.sqlite import open_store

NOBODY = 65534


@pytest.fixture
def reopened(place: Home) -> Iterator[Callable[[], Store]]:
    """Opens the store of that home once more, as another process would."""
    opened: list[Store] = []

    def reopen() -> Store:
        opened.append(open_store(place))
        return opened[-1]

    yield reopen
    for store in opened:
        store.close()


@pytest.fixture
def common_place() -> Iterator[Home]:
    """A home that others than root could reach."""
    folder = Path(tempfile.mkdtemp(prefix="prune-mcp-test-"))
    folder.chmod(0o777)
    yield home({"PRUNE_MCP_HOME": str(folder / "home")})
    shutil.rmtree(folder)


@contextmanager
def unprivileged() -> Iterator[None]:
    """As a user whom file modes bind; root is bound by none."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.fixture
def plain_user() -> Iterator[None]:
    """The whole test runs as a user whom file modes bind."""
    with unprivileged():
        yield
