"""Resources: what stands behind their addresses, and errors that say what is missing; in both eras."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from urllib.parse import quote

import pytest
from mcp import Client
from mcp.shared.exceptions import MCPError
from mcp.types import INVALID_PARAMS, TextResourceContents

from prune_mcp.engine.engine import Engine
from prune_mcp.engine.settings import Settings
from tests.server.archived import LONE, LONG, archived
from tests.server.conftest import Connect, text_of
from tests.server.transcripts import exchange, write_session

pytestmark = pytest.mark.requirement("SRV-ERAS")

SESSION, OTHER = "5e551000-0000-4000-8000-000000000001", "5e551000-0000-4000-8000-000000000002"


@pytest.fixture
def engine(home: Path, tmp_path: Path) -> Iterator[Engine]:
    """An engine over two sessions, one of which was archived from, that indexes nothing by itself."""
    write_session(home, SESSION, tmp_path, outputs=["a walrus sings", "nothing"], prompt="hello there", age=9000)
    write_session(home, OTHER, tmp_path, outputs=["something"], age=9100)
    archived(home, LONG, SESSION)
    engine = Engine(os.environ, settings=Settings(background_index=False))
    yield engine
    engine.close()


async def read(client: Client, uri: str) -> str:
    (content,) = (await client.read_resource(uri)).contents
    assert isinstance(content, TextResourceContents)
    return content.text


async def missing(client: Client, uri: str) -> str:
    """Why there is no such resource."""
    with pytest.raises(MCPError) as caught:
        await client.read_resource(uri)
    assert caught.value.error.code == INVALID_PARAMS
    assert caught.value.error.data == {"uri": uri}
    return caught.value.error.message


async def test_the_list_names_the_status_and_the_templates_the_rest(connect: Connect, engine: Engine) -> None:
    async with connect(engine) as client:
        listed = (await client.list_resources()).resources
        templates = (await client.list_resource_templates()).resource_templates
    assert [resource.uri for resource in listed] == ["prune://status"]
    assert [template.uri_template for template in templates] == [
        "prune://tree/{session}",
        "prune://session/{session}",
        "prune://entry/{entry}",
        "prune://ref/{ref}",
    ]
    told = [(each.title, each.description, each.mime_type) for each in listed]
    told += [(each.title, each.description, each.mime_type) for each in templates]
    assert all(title and description and kind == "text/plain" for title, description, kind in told)


async def test_the_status_tells_what_is_archived_and_indexed(connect: Connect, engine: Engine) -> None:
    async with connect(engine) as client:
        before = await read(client, "prune://status")
        engine.past.update()
        after = await read(client, "prune://status")
    assert "archived: 1 output of 1 session" in before
    assert "not indexed: 2 files" in before
    assert "indexed: 2 sessions, " in after
    assert "(claude-code 2)" in after
    assert "not indexed: 0 files, 0 B" in after


async def test_tree_entry_and_ref_say_what_the_tools_say(connect: Connect, engine: Engine) -> None:
    pairs: list[tuple[str, str, dict[str, Any]]] = [
        (f"prune://tree/{SESSION}", "context_tree_query", {"session": SESSION}),
        (f"prune://ref/{quote('t1@' + SESSION, safe='')}", "context_tree_query", {"refs": [f"t1@{SESSION}"]}),
        (f"prune://ref/t1@{SESSION[:-1]}", "context_tree_query", {"refs": [f"t1@{SESSION[:-1]}"]}),
        (f"prune://entry/u0-2@{SESSION}", "history_read", {"entry": f"u0-2@{SESSION}"}),
    ]
    async with connect(engine) as client:
        for uri, tool, arguments in pairs:
            assert await read(client, uri) == text_of(await client.call_tool(tool, arguments)), uri


@pytest.mark.parametrize("indexed", [False, True])
async def test_the_outline_tells_each_prompt_with_what_it_took(
    connect: Connect, engine: Engine, home: Path, tmp_path: Path, indexed: bool
) -> None:
    if indexed:
        engine.past.update()
    async with connect(engine) as client:
        told = await read(client, f"prune://session/{SESSION}")
        assert told.splitlines()[0].startswith(f"session {SESSION} · claude-code · {tmp_path}")
        rows = [line for line in told.splitlines() if f"@{SESSION} · " in line]
        assert [row.partition("@")[0] for row in rows] == ["u-0", "u0-0", "u1-0"]
        assert ['"hello there"' in rows[0], '"question 0" (1 call)' in rows[1]] == [True, True]
        # The ref of a row is one that can be read.
        assert "question 1" in await read(client, f"prune://entry/{rows[2].partition(' ')[0]}")
        (path,) = home.glob(f".claude/projects/*/{SESSION}.jsonl")
        with path.open("a", encoding="utf-8") as file:
            file.writelines(exchange(SESSION, tmp_path, 2, "later"))
        assert '"question 2" (1 call)' in await read(client, f"prune://session/{SESSION}")


async def test_an_outline_masks_secrets_and_keeps_to_its_room(
    connect: Connect, engine: Engine, home: Path, tmp_path: Path
) -> None:
    key = "sk-ant-" + "api03-" + "aB3" * 30 + "-QQ"
    many = [f"{number}" for number in range(400)]
    long = "10ab0000-0000-4000-8000-000000000003"
    path = write_session(home, long, tmp_path, outputs=many, prompt=f"my key is {key}", age=9000)
    path.write_text(path.read_text().replace("question ", "question " + "x" * 300 + " "))
    async with connect(engine) as client:
        told = await read(client, f"prune://session/{long}")
        assert len(told) < 20_000
        assert "older prompts left out" in told
        path.write_text("".join(path.read_text().splitlines(keepends=True)[:5]))
        short = await read(client, f"prune://session/{long}")
    assert "my key is [secret" in short
    assert key[10:30] not in short


async def test_a_session_is_named_by_enough_of_its_id(connect: Connect, engine: Engine) -> None:
    async with connect(engine) as client:
        assert "hello there" in await read(client, f"prune://session/{SESSION}")
        assert "Several sessions begin with 5e551000" in await missing(client, "prune://session/5e551000")
        assert "There is no session nowhere" in await missing(client, "prune://session/nowhere")


async def test_what_is_not_there_is_an_error_that_says_so(connect: Connect, engine: Engine) -> None:
    async with connect(engine) as client:
        assert "no session 'nowhere'" in await missing(client, "prune://tree/nowhere")
        assert "t9" in await missing(client, f"prune://ref/t9@{SESSION}")
        assert "has no entry nothing" in await missing(client, f"prune://entry/nothing@{SESSION}")
        await missing(client, "prune://nothing")
        await missing(client, "file:///etc/hostname")
        assert await read(client, "prune://status")


async def test_a_lone_surrogate_is_shown_as_u_fffd(connect: Connect, engine: Engine, home: Path) -> None:
    archived(home, LONE, "s-lone")
    async with connect(engine) as client:
        assert "before \ufffd after" in await read(client, "prune://ref/t1@s-lone")
