"""Completions of sessions, refs and projects, in both eras."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from mcp import Client
from mcp.types import PromptReference, ResourceTemplateReference

from prune_mcp.engine.engine import Engine
from prune_mcp.engine.settings import Settings
from tests.server.archived import LONG, archived
from tests.server.conftest import Connect
from tests.server.transcripts import write_session

pytestmark = pytest.mark.requirement("SRV-ERAS")

FIND = PromptReference(type="ref/prompt", name="find")
TREE = ResourceTemplateReference(type="ref/resource", uri="prune://tree/{session}")
REF = ResourceTemplateReference(type="ref/resource", uri="prune://ref/{ref}")


@pytest.fixture
def engine(home: Path, tmp_path: Path) -> Iterator[Engine]:
    write_session(home, "abc-old", tmp_path / "harbor", outputs=["one"], age=9000)
    write_session(home, "abc-new", tmp_path / "harbor", outputs=["one"], age=100)
    write_session(home, "xyz", tmp_path / "hull", outputs=["one"], age=200)
    archived(home, LONG, "abc-old")
    archived(home, LONG, "stored-only")
    engine = Engine(os.environ, settings=Settings(background_index=False))
    yield engine
    engine.close()


async def completed(
    client: Client, ref: PromptReference | ResourceTemplateReference, name: str, value: str, **known: str
) -> list[str]:
    result = await client.complete(ref, {"name": name, "value": value}, known or None)
    return result.completion.values


async def test_sessions_come_newest_first_and_those_only_archived_last(connect: Connect, engine: Engine) -> None:
    async with connect(engine) as client:
        assert await completed(client, TREE, "session", "") == ["abc-new", "xyz", "abc-old", "stored-only"]
        assert await completed(client, TREE, "session", "ABC") == ["abc-new", "abc-old"]
        assert await completed(client, TREE, "session", "nothing") == []


async def test_refs_are_those_of_a_session_that_was_chosen_or_of_all(connect: Connect, engine: Engine) -> None:
    async with connect(engine) as client:
        assert await completed(client, REF, "ref", "t", session="abc-old") == ["t1"]
        assert set(await completed(client, REF, "ref", "")) == {"t1@abc-old", "t1@stored-o"}
        assert await completed(client, REF, "ref", "t9") == []


@pytest.mark.parametrize("indexed", [False, True])
async def test_projects_come_by_name(connect: Connect, engine: Engine, indexed: bool) -> None:
    if indexed:
        engine.past.update()
    async with connect(engine) as client:
        assert await completed(client, FIND, "project", "h") == ["harbor", "hull"]
        assert await completed(client, FIND, "project", "HU") == ["hull"]


async def test_no_more_than_the_protocol_allows(
    connect: Connect, engine: Engine, home: Path, tmp_path: Path
) -> None:
    for number in range(120):
        write_session(home, f"many-{number:03d}", tmp_path, age=number)
    async with connect(engine) as client:
        result = await client.complete(TREE, {"name": "session", "value": "many"})
    assert len(result.completion.values) == 100
    assert (result.completion.total, result.completion.has_more) == (120, True)


async def test_an_argument_that_is_none_of_these_has_no_completion(connect: Connect, engine: Engine) -> None:
    async with connect(engine) as client:
        assert await completed(client, FIND, "query", "wal") == []
