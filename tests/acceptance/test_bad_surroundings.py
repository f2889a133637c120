"""A store, a disk or a settings file that cannot be used is told in one message, and nothing is lost by it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from tests.acceptance.kept import Kept, conversation, texts
from tests.acceptance.product import PROGRAM, Product
from tests.acceptance.told import clear, failure, refusal
from tests.acceptance.troubles import instead, newer, no_file_over, poem, unreadable, without_privileges

pytestmark = pytest.mark.requirement("SRV-STRICT")

PRUNE, QUERY = "prune_context", "context_tree_query"


@dataclass
class Trouble:
    """A store that cannot be used: how it comes about, and what is told of it."""

    begins: Callable[[Product], Any]
    told: list[str]
    modes: bool = False


STORES = {
    "an unreadable store": Trouble(lambda p: unreadable(p.store), ["store.db", "read and write rights"], True),
    "an unreadable folder": Trouble(lambda p: unreadable(p.store.parent), ["data", "rights"], True),
    "a newer store": Trouble(lambda p: newer(p.store), ["store.db", "update prune-mcp"]),
    "a store that is none": Trouble(lambda p: instead(p.store, poem), ["store.db", "move it away"]),
    "a folder in the store's place": Trouble(lambda p: instead(p.store, Path.mkdir), ["store.db", "move it away"]),
    "a file in the folder's place": Trouble(lambda p: instead(p.store.parent, poem), ["data"]),
}


@pytest.mark.parametrize("trouble", STORES.values(), ids=STORES)
async def test_a_store_that_cannot_be_used_is_told_and_serves_again_when_it_can(
    product: Product, kept: Kept, trouble: Trouble
) -> None:
    product.program = without_privileges() if trouble.modes else PROGRAM
    async with product.serve() as server:
        with trouble.begins(product):
            refusal(await server.call(QUERY, refs=["t1"], session=kept.session), *trouble.told)
            refusal(await server.call(QUERY, session=kept.session), *trouble.told)
            refusal(await server.call(PRUNE, messages=conversation("new", texts("new"))), *trouble.told)
            failure(product.run("show", "t1"), 1, *trouble.told)
            failure(product.run("prune", str(product.home / "earlier.json")), 1, *trouble.told)
            failure(product.run("tree", kept.session), 1, *trouble.told)
        await kept.assert_there(server)
        answer = await server.prune(messages=conversation("new", texts("new")))
        assert answer["effect"] == "applied"


@pytest.mark.parametrize("room", [0, 20_000, 70_000], ids=lambda size: f"room for {size} bytes")
async def test_on_a_full_disk_nothing_new_is_kept_and_everything_old_is_there(
    product: Product, kept: Kept, room: int
) -> None:
    messages = conversation("large", texts("large", size=150_000))
    product.program = no_file_over(room)
    async with product.serve() as server:
        refusal(await server.call(PRUNE, messages=messages), "Free disk space")
        await kept.assert_there(server)
    failure(product.run("prune", messages_file(product, messages)), 1, "Free disk space")
    product.program = PROGRAM
    async with product.serve() as server:
        await kept.assert_there(server)
        answer = await server.prune(messages=messages)
        large = {f"t{number}": text for number, text in enumerate(texts("large", size=150_000), 1)}
        await Kept(answer["session"], large).assert_there(server)


@pytest.mark.parametrize("room", [0, 5_000, 20_000], ids=lambda size: f"room for {size} bytes")
def test_what_found_no_room_to_be_made_is_as_if_it_were_not_there(product: Product, room: int) -> None:
    product.program = no_file_over(room)
    failure(product.run("index"), 1, "Free disk space")
    failure(product.run("prune", messages_file(product, conversation("new", texts("new")))), 1, "Free disk space")
    for reading in (("index", "--status"), ("check",), ("sessions",), ("stats",), ("search", "walrus")):
        done = product.run(*reading)
        assert done.returncode == 0, (reading, done.stderr)
    product.program = PROGRAM
    for command in (("check",), ("index",), ("prune", str(product.home / "messages.json")), ("check",)):
        done = product.run(*command)
        assert done.returncode == 0, (command, done.stderr)


def test_a_token_that_finds_no_room_is_told_and_leaves_nothing(product: Product) -> None:
    product.program = no_file_over(0)
    failure(product.run("token", "make", "laptop"), 1, "tokens", "Free disk space")
    assert [*product.home.rglob("tokens/*")] == []


def test_a_link_to_nowhere_is_told_as_one(product: Product) -> None:
    lock = product.store.parent / "history" / "writer.lock"
    lock.parent.mkdir(parents=True)
    lock.symlink_to(product.home / "not-there" / "writer.lock")
    failure(product.run("index"), 1, str(lock), "a link to what is not there")


async def test_a_folder_that_may_not_be_entered_is_told_with_what_to_do_by_history_too(
    product: Product, kept: Kept
) -> None:
    product.program = without_privileges()
    assert product.run("index").returncode == 0
    async with product.serve() as server:
        with unreadable(product.store.parent):
            refusal(await server.call("history_search", query="walrus", all=True), "data", "read and write rights")
            refusal(await server.call("history_read", entry="e@s"), "data", "read and write rights")
            for command in (("search", "walrus"), ("index",), ("check",), ("gc",), ("forget", "x", "--yes")):
                failure(product.run(*command), 1, "data", "Permission denied", "PRUNE_MCP_HOME")
        await kept.assert_there(server)


def test_a_folder_in_a_files_place_is_told_to_be_moved_away(product: Product) -> None:
    assert product.run("index").returncode == 0
    [lock] = product.home.rglob("writer.lock")
    lock.unlink()
    lock.mkdir()
    failure(product.run("index"), 1, str(lock), "A folder stands in its place: move that away.")


def test_a_command_that_cannot_write_tells_one_thing_alone(product: Product, kept: Kept) -> None:
    product.program = no_file_over(0)
    done = product.run("prune", messages_file(product, conversation("new", texts("new"))))
    clear(done.stderr.rstrip("\n"), "Free disk space")


async def test_a_store_that_a_newer_version_takes_over_is_written_to_no_more(product: Product, kept: Kept) -> None:
    async with product.serve() as server:
        await kept.assert_there(server)
        with newer(product.store):
            refusal(await server.call(PRUNE, messages=conversation("new", texts("new"))), "update prune-mcp")
        await kept.assert_there(server)
        await server.prune(messages=conversation("new", texts("new")))


def messages_file(product: Product, messages: list[dict[str, Any]]) -> str:
    """A file with these messages."""
    file = product.home / "messages.json"
    file.write_text(json.dumps(messages), encoding="utf-8")
    return str(file)


def closed(path: Path) -> None:
    path.write_text("keep_turns = 1\n", encoding="utf-8")
    path.chmod(0)


def torn(path: Path) -> None:
    path.write_text('keep_turns = 1\nprotected_tools = ["Ta', encoding="utf-8")


def no_text(path: Path) -> None:
    path.write_bytes(b"keep_turns = 1\n\xff\xfe\x00")


def astray(path: Path) -> None:
    path.symlink_to(path.with_name("not-there.toml"))


@pytest.mark.requirement("SRV-CONFIG")
@pytest.mark.parametrize(
    "make",
    [closed, torn, no_text, Path.mkdir, astray],
)
async def test_a_settings_file_that_cannot_be_read_is_told_left_as_it_is_and_stops_nothing(
    product: Product, kept: Kept, make: Callable[[Path], object]
) -> None:
    product.program = without_privileges()
    file = product.home / "prune-mcp" / "config" / "config.toml"
    file.parent.mkdir()
    make(file)
    before = state(file)
    async with product.serve() as server:
        answer = await server.prune(messages=conversation("new", texts("new")))
        [told] = [found["detail"] for found in answer["diagnostics"] if "config.toml" in found["detail"]]
        clear(told, "config.toml", "cannot be read")
        await kept.assert_there(server)
    done = product.run("prune", str(product.home / "earlier.json"))
    assert done.returncode == 0, done.stderr
    clear(done.stderr.rstrip("\n"), "config.toml", "cannot be read")
    assert state(file) == before


@pytest.mark.requirement("SRV-CONFIG")
@pytest.mark.parametrize(
    "make", [Path.touch, astray, lambda path: path.mkdir(mode=0)], ids=["file", "link", "closed"]
)
def test_a_settings_folder_that_is_none_or_closed_is_told_and_stops_nothing(
    product: Product, make: Callable[[Path], object]
) -> None:
    product.program = without_privileges()
    folder = product.home / "prune-mcp" / "config"
    folder.parent.mkdir()
    make(folder)
    done = product.run("sessions")
    assert done.returncode == 0, done.stderr
    assert str(folder) in done.stderr
    assert "cannot be read" in done.stderr
    done = product.run("config")
    assert done.returncode == 1
    clear(done.stderr.rstrip("\n"), str(folder), "cannot be read")


def state(file: Path) -> tuple[int, ...]:
    """What would differ if anything had been done to a file, reading aside."""
    status = file.lstat()
    return status.st_ino, status.st_mode, status.st_size, status.st_mtime_ns
