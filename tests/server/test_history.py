"""Past sessions through the server: this session or all, filters, pages, entries, and errors in our words."""

from __future__ import annotations

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.types import CallToolResult

from prune_mcp.engine.engine import Engine
from prune_mcp.engine.settings import Settings
from tests.server.conftest import Connect, text_of
from tests.server.transcripts import call_entry, exchange, write_session

FOUND = re.compile(r"^\d+\. (\S+@\S+) (\S+)", re.MULTILINE)


@pytest.fixture
def engine(home: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Engine]:
    """An engine over the sessions of a scratch home, which indexes nothing by itself."""
    engine = Engine(os.environ, settings=Settings(background_index=False))
    yield engine
    engine.close()


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder that the server runs in."""
    folder = tmp_path / "here"
    folder.mkdir()
    monkeypatch.chdir(folder)
    return folder


async def answer(client: Client, name: str, /, **arguments: Any) -> str:
    """The text of an answer that is no error."""
    result = await client.call_tool(name, arguments)
    assert isinstance(result, CallToolResult)
    assert not result.is_error, text_of(result)
    return text_of(result)


async def refused(client: Client, name: str, /, **arguments: Any) -> str:
    """The text of an answer that is an error."""
    result = await client.call_tool(name, arguments)
    assert isinstance(result, CallToolResult)
    assert result.is_error
    return text_of(result)


def found(text: str) -> list[str]:
    """The refs of the hits, in order."""
    return [ref for ref, _ in FOUND.findall(text)]


@pytest.mark.requirement("HIS-FIND", "HIS-RANK", "SRV-ERAS")
async def test_this_session_is_searched_newest_first_and_its_own_search_is_no_hit(
    connect: Connect, engine: Engine, home: Path, here: Path
) -> None:
    arguments = {"query": "walrus"}
    outputs = ["a walrus sings", "nothing", "the walrus sleeps"]
    own = call_entry("s-own", here, arguments, "history_search", after="u2-3")
    write_session(home, "s-own", here, outputs=outputs, tail=own)
    write_session(home, "s-other", here, outputs=["another walrus"])
    async with connect(engine) as client:
        text = await answer(client, "history_search", **arguments)
    assert found(text) == ["u2-2@s-own", "u0-2@s-own"]


@pytest.mark.requirement("HIS-FIND", "HIS-FRESH")
async def test_all_sessions_are_searched_when_asked_or_when_this_one_cannot_be_told(
    connect: Connect, engine: Engine, home: Path, here: Path
) -> None:
    write_session(home, "s-one", here, outputs=["a walrus sings"], age=9000)
    write_session(home, "s-two", here.parent / "there", outputs=["a walrus swims"], age=9000)
    async with connect(engine) as client:
        asked = await answer(client, "history_search", query="walrus", all=True)
        untold = await answer(client, "history_search", query="walrus")
        engine.past.update()
        indexed = await answer(client, "history_search", query="walrus", all=True)
    assert set(found(asked)) == {"u0-2@s-one", "u0-2@s-two"} == set(found(indexed))
    assert found(untold) == found(asked)
    assert "could not be told, so all were searched" in untold


@pytest.mark.requirement("HIS-FILTER")
async def test_filters_leave_only_what_they_name(connect: Connect, engine: Engine, home: Path, here: Path) -> None:
    write_session(home, "s-one", here, outputs=["a walrus sings"], prompt="find the walrus", age=9000)
    write_session(home, "s-two", here.parent / "there", outputs=["a walrus swims"], age=9000)

    async def refs(**filters: Any) -> set[str]:
        return set(found(await answer(client, "history_search", query="walrus", all=True, **filters)))

    async with connect(engine) as client:
        assert await refs(project="there") == {"u0-2@s-two"} == await refs(session="s-two")
        assert await refs(role="user") == {"u-0@s-one"}
        assert (
            await refs(role="tool", project=str(here))
            == {"u0-2@s-one"}
            == await refs(tool="bash", session="s-one")
        )
        assert (
            await refs(agent="codex") == set() == await refs(since="2026-01-03") == await refs(until="2025-12-31")
        )
        assert len(await refs(since="2025-12-30", until="2026-01-02")) == 3
        assert "`since`: 'soon' is no point in time" in await refused(
            client, "history_search", query="x", since="soon"
        )


@pytest.mark.requirement("HIS-PAGE")
async def test_pages_of_hits_join_while_the_session_grows(
    connect: Connect, engine: Engine, home: Path, here: Path
) -> None:
    path = write_session(home, "s-one", here, outputs=[f"walrus number {n}" for n in range(23)], age=9000)
    asked = {"query": "walrus", "all": True}
    async with connect(engine) as client:
        text = await answer(client, "history_search", **asked)
        assert len(text.encode()) < 4_000
        refs = found(text)
        assert len(refs) == 10
        with path.open("a", encoding="utf-8") as file:
            file.writelines(exchange("s-one", here, 23, "walrus number 23"))
        while cursor := re.search(r"cursor=(\S+)", text):
            text = await answer(client, "history_search", cursor=cursor[1], **asked)
            refs += found(text)
            assert text.startswith(f"{len(refs) - len(found(text)) + 1}. ")
        assert sorted(refs) == sorted({f"u{n}-2@s-one" for n in range(23)})
        assert "limit" in await refused(client, "history_search", query="x", limit=51)
        assert "cursor" in await refused(client, "history_search", query="x", cursor="search-0-0")


@pytest.mark.requirement("HIS-FIND")
async def test_only_a_match_looks_like_one(connect: Connect, engine: Engine, home: Path, here: Path) -> None:
    write_session(home, "s-one", here, outputs=["**bold** and \u00abquoted\u00bb walrus"])
    async with connect(engine) as client:
        text = await answer(client, "history_search", query="walrus", all=True)
    assert "**bold** and \u2039quoted\u203a \u00abwalrus\u00bb" in text


@pytest.mark.requirement("HIS-PAGE")
async def test_a_huge_entry_is_read_in_pages_that_join(
    connect: Connect, engine: Engine, home: Path, here: Path
) -> None:
    huge = "".join(f"walrus {n:06d};" for n in range(3_000))
    write_session(home, "s-one", here, outputs=[huge], age=9000)
    pages = ""
    async with connect(engine) as client:
        while True:
            text = await answer(client, "history_read", entry="u0-2@s-one", offset=len(pages), limit=20_000)
            fence = re.search(r"^(-----[0-9a-f]+)\n(.*?)\n\1$", text, re.MULTILINE | re.DOTALL)
            assert fence
            pages += fence[2]
            if f"offset={len(pages)}" not in text:
                break
        assert pages == huge
        assert "chars=" in text


@pytest.mark.requirement("HIS-PAGE")
async def test_an_entry_is_read_with_its_neighbours_and_an_unknown_one_is_refused(
    connect: Connect, engine: Engine, home: Path, here: Path
) -> None:
    write_session(home, "s-one", here, outputs=["first", "second", "third"], age=9000)
    async with connect(engine) as client:
        text = await answer(client, "history_read", entry="u1-2@s-one", around=1)
        headers = re.findall(r"^(u\S+)@s-one (\w+)", text, re.MULTILINE)
        assert headers == [("u1-1", "call"), ("u1-2", "result"), ("u1-3", "assistant")]
        assert "second" in text
        assert "first" not in text
        assert "nowhere" in await refused(client, "history_read", entry="nowhere@s-one")
        assert "names no entry" in await refused(client, "history_read", entry="  ")


@pytest.mark.requirement("HIS-SECRET")
async def test_neither_a_search_nor_a_reading_shows_a_secret(
    connect: Connect, engine: Engine, home: Path, here: Path
) -> None:
    key = "sk-ant-" + "api03-" + "aB3" * 30 + "-QQ"
    write_session(home, "s-one", here, outputs=[f"walrus export ANTHROPIC_API_KEY={key} done"], age=9000)
    async with connect(engine) as client:
        hit = await answer(client, "history_search", query="walrus", all=True)
        whole = await answer(client, "history_read", entry=found(hit)[0])
    assert key[10:30] not in hit + whole
    assert "[secret:" in whole
