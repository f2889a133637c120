"""Prompts: commands of a client that put the right tool into the model's mind, in both eras."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest
from mcp.shared.exceptions import MCPError
from mcp.types import INVALID_PARAMS, GetPromptResult, TextContent

from prune_mcp.engine.engine import Engine
from prune_mcp.server.app import make_server
from prune_mcp.server.prompts import COMMANDS, prompts
from tests.server.conftest import Connect

pytestmark = pytest.mark.requirement("SRV-ERAS")


@pytest.fixture
def engine(home: object) -> Iterator[Engine]:
    engine = Engine(os.environ)
    yield engine
    engine.close()


def words(result: GetPromptResult) -> str:
    """The one message of a prompt, which is the person's."""
    (message,) = result.messages
    assert message.role == "user"
    assert isinstance(message.content, TextContent)
    return message.content.text


async def test_each_prompt_is_titled_described_and_about_a_tool_that_is_served(
    connect: Connect, engine: Engine
) -> None:
    async with connect(engine) as client:
        listed = {prompt.name: prompt for prompt in (await client.list_prompts()).prompts}
        tools = {tool.name for tool in (await client.list_tools()).tools}
    assert {"prune", "find", "status"} <= listed.keys() <= {command.name for command in COMMANDS}
    for command in COMMANDS:
        assert (command.name in listed) == (not command.tool or command.tool in tools)
    for prompt in listed.values():
        assert prompt.title
        assert prompt.description
        assert all(argument.description for argument in prompt.arguments or [])


def test_each_needs_one_of_the_tools_of_the_design() -> None:
    everything = {command.tool for command in COMMANDS if command.tool}
    assert [prompt.name for prompt in prompts(everything)] == ["prune", "context", "find", "collapse", "status"]
    assert [prompt.name for prompt in prompts(())] == ["status"]


async def test_arguments_reach_the_call_that_is_asked_for(connect: Connect, engine: Engine) -> None:
    async with connect(engine) as client:
        bare = words(await client.get_prompt("prune"))
        noted = words(await client.get_prompt("prune", {"note": 'the "flaky" test'}))
        found = words(await client.get_prompt("find", {"query": "ENOSPC", "project": "harbor"}))
    assert "call prune_context. " in bare
    assert r'call prune_context with note="the \"flaky\" test". ' in noted
    assert 'call history_search with query="ENOSPC", project="harbor", all=true. ' in found


async def test_a_prompt_names_the_turns_to_collapse_or_refuses_them() -> None:
    (collapse,) = (prompt for prompt in prompts(["collapse_turns"]) if prompt.name == "collapse")
    assert "call collapse_turns. " in str(collapse.fn())
    assert "call collapse_turns with turns=3. " in str(collapse.fn(turns="3"))
    for wrong in ("all", "0", "-1", "²"):
        with pytest.raises(MCPError, match="whole number"):
            collapse.fn(turns=wrong)


async def test_the_status_is_told_in_the_prompt_itself(connect: Connect, engine: Engine, home: object) -> None:
    async with connect(engine) as client:
        told = words(await client.get_prompt("status"))
        (status,) = (await client.read_resource("prune://status")).contents
    assert getattr(status, "text", None)
    assert getattr(status, "text", "") in told
    assert "archived: 0 outputs of 0 sessions" in told


@pytest.mark.requirement("SRV-STRICT")
@pytest.mark.parametrize(
    ("name", "arguments", "told"),
    [
        ("colapse", {}, "There is no prompt `colapse`. Did you mean `collapse`? There is: prune, context, find, "),
        ("find", {}, "`find` needs `query`: What to look for"),
        ("find", {"query": " "}, "`find` needs `query`"),
        (
            "find",
            {"querry": "walrus"},
            "`find` takes no argument `querry`. Did you mean `query`? There is: query, ",
        ),
        ("status", {"now": "1"}, "`status` takes no argument `now`. There is: none."),
    ],
)
async def test_a_prompt_that_cannot_be_asked_for_is_refused_in_our_words(
    connect: Connect,
    engine: Engine,
    caplog: pytest.LogCaptureFixture,
    name: str,
    arguments: dict[str, str],
    told: str,
) -> None:
    async with connect(engine) as client:
        with pytest.raises(MCPError) as refused:
            await client.get_prompt(name, arguments)
        assert told in refused.value.error.message
        assert refused.value.error.code == INVALID_PARAMS
        assert words(await client.get_prompt("prune"))
    assert not caplog.records


def test_nothing_of_it_is_made_before_a_client_asks() -> None:
    server = make_server()
    assert server._prompt_manager.list_prompts() == []
    assert server._resource_manager.list_templates() == []
