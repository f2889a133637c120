"""Where a part of what is kept cannot be read, the rest is told, with a word on the part; nothing is set aside."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from tests.acceptance.product import PROGRAM, Product
from tests.acceptance.told import clear, failure
from tests.acceptance.troubles import instead, newer, no_file_over, poem, unreadable, without_privileges
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


def astray(path: Path) -> None:
    path.symlink_to(path.parent / "not-there" / path.name)


TROUBLES = {
    "no rights": (unreadable, ("read and write rights",)),
    "a link loop": (lambda path: instead(path, loop), ("leads back to itself",)),
    "a link to nowhere": (lambda path: instead(path, astray), ("a link to what is not there",)),
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


STORES = {**TROUBLES, "no store": (lambda path: instead(path, poem), ("move it away",))}


@pytest.mark.parametrize(("begins", "told"), STORES.values(), ids=STORES)
async def test_a_store_that_cannot_be_used_leaves_sessions_and_usage_to_be_told_from_disk(
    indexed: Product, begins: Callable[[Path], AbstractContextManager[None]], told: tuple[str, ...]
) -> None:
    transcript = str(indexed.home / ".claude" / "projects" / "-home-user-app" / f"{SESSION}.jsonl")
    kept = indexed.json("usage", transcript)
    assert kept["items"][0]["ref"] == "t1"
    with begins(indexed.store):
        listed = indexed.run("sessions", "--json")
        assert [row["id"] for row in json.loads(listed.stdout)] == [SESSION]
        clear(listed.stderr.rstrip("\n"), "on disk", "store.db", *told)
        answer = indexed.json("usage", transcript)
        assert answer["total"] == kept["total"]
        assert "@" in answer["items"][0]["ref"]
        assert all(words in answer["notes"][0] for words in ("Nothing was archived", "store.db", *told))
        async with indexed.serve() as server:
            assert "Nothing was archived" in str(await server.call("context_usage", session=SESSION))
        read = indexed.run("read", answer["items"][0]["ref"])
        assert "walrus" in read.stdout
    assert indexed.json("usage", transcript) == kept


def test_usage_in_a_folder_that_cannot_be_written_is_told_without_archiving(indexed: Product) -> None:
    transcript = str(indexed.home / ".claude" / "projects" / "-home-user-app" / f"{SESSION}.jsonl")
    (indexed.home / "prune-mcp" / "data").chmod(0o500)
    answer = indexed.json("usage", transcript)
    assert "Nothing was archived" in answer["notes"][0]
    assert not indexed.store.exists()
    failure(indexed.run("prune", transcript), 1, "data")


def test_usage_on_a_full_disk_is_told_without_archiving(indexed: Product) -> None:
    path = indexed.home / ".claude" / "projects" / "-home-user-app" / f"{SESSION}.jsonl"
    ClaudeFile(path, SESSION).turn("call-2", "a larger walrus\n" * 10_000)
    indexed.program = no_file_over(0)
    answer = indexed.json("usage", str(path))
    assert "Free disk space" in answer["notes"][0]
    assert answer["items"][0]["tokens"] > 40_000


def test_a_store_of_a_newer_version_is_refused(indexed: Product) -> None:
    transcript = str(indexed.home / ".claude" / "projects" / "-home-user-app" / f"{SESSION}.jsonl")
    assert indexed.run("usage", transcript).returncode == 0
    with newer(indexed.store):
        for command in (("sessions",), ("usage", transcript)):
            failure(indexed.run(*command), 1, "store.db", "update prune-mcp")


def test_a_session_that_a_linked_folder_shows_again_is_listed_once(indexed: Product) -> None:
    projects = indexed.home / ".claude" / "projects"
    (projects / "-a-link").symlink_to(projects / "-home-user-app")
    (row,) = indexed.json("sessions")
    assert Path(row["path"]).parent.name == "-home-user-app"


@pytest.mark.parametrize("where", [(), ("index-1",)], ids=["the cache", "the index"])
def test_a_closed_cache_is_told_and_the_rest_with_it(indexed: Product, where: tuple[str, ...]) -> None:
    cache = (indexed.home / "prune-mcp" / "cache").joinpath(*where)
    whole = indexed.json("index", "--status")
    with unreadable(cache):
        status = indexed.json("index", "--status")
        assert all("cannot be read" in told and str(cache) in told for told in status["damaged"])
        assert status["damaged"]
        assert status["total"] == whole["total"]
        assert status["pack_bytes"] == whole["pack_bytes"]
        assert len(indexed.json("search", "walrus")["hits"]) == 2
        failure(indexed.run("index"), 1, str(cache), "read and write rights")
    assert indexed.json("index", "--status") == whole


def test_a_pack_that_may_not_be_read_is_named_with_what_to_do(indexed: Product) -> None:
    (pack,) = history(indexed).glob("*.pack")
    with unreadable(pack):
        found = indexed.json("search", "walrus")
        (note,) = (note for note in found["notes"] if "left out" in note)
        assert str(pack) in note
        assert "read and write rights" in note
    assert len(indexed.json("search", "walrus")["hits"]) == 2


MONTHS = 36


@pytest.fixture
def long_ago(product: Product) -> Product:
    """A session in each of many months, all of them indexed."""
    for number in range(MONTHS):
        id = f"{number:08x}-1111-4000-8000-000000000000"
        path = product.home / ".claude" / "projects" / "-home-user-app" / f"{id}.jsonl"
        session = ClaudeFile(path, id)
        session.prompt(f"Where is walrus {number}?")
        month = f"{2020 + number // 12}-{number % 12 + 1:02}"
        path.write_text(re.sub(r'"20\d\d-\d\d-', f'"{month}-', path.read_text("utf-8")), "utf-8")
    assert product.run("index").returncode == 0
    assert len([*history(product).glob("*.pack")]) == MONTHS
    return product


@pytest.mark.parametrize("kind", ["soft", "hard"])
def test_a_history_of_more_files_than_may_be_open_is_searched_all_the_same(long_ago: Product, kind: str) -> None:
    long_ago.program = few_files(16, hard=kind == "hard")
    found = long_ago.json("search", "walrus", "--limit", "50")
    assert len(found["hits"]) == MONTHS
    assert [note for note in found["notes"] if "left out" in note] == []
    # Where the limit can be lifted, the words of every month are at hand.
    assert any("The index lacks words" in note for note in found["notes"]) == (kind == "hard")


def few_files(count: int, hard: bool) -> list[str]:
    """The program where a process may have but so many files open, at first or (`hard`) for good."""
    pytest.importorskip("resource", reason="only POSIX systems limit the number of files")
    most = count if hard else "resource.getrlimit(resource.RLIMIT_NOFILE)[1]"
    limit = f"resource.setrlimit(resource.RLIMIT_NOFILE, ({count}, {most}))"
    code = f"import os, resource, sys; {limit}; os.execv(sys.argv[1], sys.argv[1:])"
    return [sys.executable, "-c", code, *PROGRAM]
