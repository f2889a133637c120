"""What the tests of transports share: one home, and in it a server over HTTP for all tests of a module."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.server.http.cases import write_home
from tests.server.http.gate import Gate
from tests.server.http.serving import Place, Served, TransportName, served


@pytest.fixture(scope="module")
def library(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with sessions and a store."""
    home = tmp_path_factory.mktemp("library") / "home"
    write_home(home)
    return home


@pytest.fixture(scope="module")
def http(library: Path) -> Iterator[Served]:
    """A server over HTTP in that home, for whoever is on this machine."""
    with served(library) as server:
        yield server


@pytest.fixture(params=["stdio", "streamable", "sse"])
def transport(request: pytest.FixtureRequest) -> TransportName:
    """The ways to reach a server."""
    name: TransportName = request.param
    return name


@pytest.fixture
def place(transport: TransportName, library: Path, request: pytest.FixtureRequest) -> Place:
    """The server in that home, by this transport."""
    return Place(transport, library, None if transport == "stdio" else request.getfixturevalue("http"))


@pytest.fixture
def gate() -> Iterator[Gate]:
    """Where the prune of a slow server is met."""
    with Gate() as gate:
        yield gate


@pytest.fixture
def slow(transport: TransportName, library: Path, gate: Gate) -> Iterator[Place]:
    """A server whose prunes last until they are released at the gate."""
    if transport == "stdio":
        yield Place(transport, library, program=gate.program)
        return
    with served(library, program=gate.program) as server:
        yield Place(transport, library, server, gate.program)
