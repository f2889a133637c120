"""Where a part of what is kept cannot be read, the rest is told, with a word on the part; nothing is set aside."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from tests.acceptance.product import Product
from tests.acceptance.told import failure
from tests.acceptance.troubles import instead, newer, unreadable, without_privileges
from tests.sessions.transcripts.writing import ClaudeFile

SESSION = "00000001-1111-4000-8000-000000000000"


@pytest.fixture
def indexed(product: Product) -> Product:
    """A session on disk that is indexed, for a user whom file modes bind."""
    session = ClaudeFile(product.home / ".claude" / "projects" / "-home-user-app" / f"{SESSION}.jsonl", SESSION)
    session.prompt("Where is the walrus?")
    session.turn("call-1", "a walrus on the ice\n" * 100)
    product.program = without_privileges()
    assert product.run("index").returncode == 0
    return product


def history(product: Product) -> Path:
    return product.store.parent / "history"


def loop(path: Path) -> None:
    path.symlink_to(path.name)


TROUBLES = {
    "no rights": (unreadable, ("read and write rights",)),
    "a link loop": (lambda path: instead(path, loop), ("leads back to itself",)),
}


@pytest.mark.parametrize(("begins", "told"), TROUBLES.values(), ids=TROUBLES)
async def test_a_catalog_that_cannot_be_read_is_told_and_sessions_are_read_from_disk(
    indexed: Product, begins: Callable[[Path], AbstractContextManager[None]], told: tuple[str, ...]
) -> None:
    catalog = history(indexed) / "catalog.sqlite"
    before = catalog.read_bytes()
    with begins(catalog):
        found = indexed.json("search", "walrus")
        assert len(found["hits"]) == 2
        (note,) = found["notes"]
        assert all(words in note for words in ("catalog.sqlite", "still on disk", *told))
        hit = found["hits"][0]["ref"]
        read = indexed.run("read", hit)
        assert "walrus" in read.stdout
        assert "catalog.sqlite" in read.stdout + read.stderr
        failure(indexed.run("read", "abcd@0badc0de"), 1, "no session", "catalog.sqlite")
        status = indexed.json("index", "--status")
        assert status["pending"] == 1
        assert "catalog.sqlite" in status["damaged"][0]
        async with indexed.serve() as server:
            assert "catalog.sqlite" in str(await server.call("history_search", query="walrus", all=True))
        # Who writes or forgets needs all of it.
        failure(indexed.run("index"), 1, "catalog.sqlite")
        failure(indexed.run("index", "--rebuild"), 1, "catalog.sqlite")
        failure(indexed.run("forget", SESSION, "--yes"), 1, "catalog.sqlite")
    assert catalog.read_bytes() == before
    assert [*history(indexed).glob("*.damaged-*")] == []
    assert indexed.json("search", "walrus")["notes"] == []


def test_a_damaged_catalog_is_told_and_sessions_are_read_from_disk(indexed: Product) -> None:
    catalog = history(indexed) / "catalog.sqlite"
    catalog.write_bytes(b"?" * 8000)
    found = indexed.json("search", "walrus")
    assert len(found["hits"]) == 2
    assert ["damaged (file is not a database). The next indexing" in note for note in found["notes"]] == [True]
    assert indexed.json("index", "--status")["pending"] == 1
    assert indexed.run("index").returncode == 0
    assert indexed.json("search", "walrus")["notes"] == []


def test_a_catalog_of_a_newer_version_is_refused(indexed: Product) -> None:
    with newer(history(indexed) / "catalog.sqlite"):
        for command in (("search", "walrus"), ("index", "--status"), ("index",)):
            failure(indexed.run(*command), 1, "catalog.sqlite", "update prune-mcp")
