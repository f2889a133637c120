"""The tool list: small, every parameter described, the same in both eras, and what the design promises."""

from __future__ import annotations

import json
from typing import Any

import pytest
from mcp import Client

from prune_mcp.server.app import INSTRUCTIONS, make_server
from prune_mcp.server.tools.schema import lean
from tests.server.conftest import Connect, Era, FakeEngine

PARAMETERS = {
    "prune_context": ["session", "messages", "note", "keep_turns", "dry_run", "summarize"],
    "context_tree_query": ["refs", "lines", "pattern", "context", "offset", "limit", "cursor", "session"],
    "collapse_turns": ["turns", "session", "messages"],
    "context_usage": ["session", "messages"],
    "history_search": [
        "query",
        "all",
        "session",
        "project",
        "role",
        "tool",
        "agent",
        "since",
        "until",
        "limit",
        "cursor",
    ],
    "history_read": ["entry", "offset", "limit", "around"],
}


async def listed(era: Era) -> list[dict[str, Any]]:
    async with Client(make_server(), mode=era) as client:
        tools = (await client.list_tools()).tools
    return [tool.model_dump(by_alias=True, exclude_none=True, mode="json") for tool in tools]


def nodes(schema: Any) -> list[Any]:
    """Every object inside a JSON value."""
    inner = schema.values() if isinstance(schema, dict) else schema if isinstance(schema, list) else ()
    found = [node for value in inner for node in nodes(value)]
    return [schema, *found] if isinstance(schema, dict) else found


@pytest.mark.requirement("SRV-SMALL", "SRV-ERAS")
async def test_the_list_is_small_and_the_same_in_both_eras(era: Era) -> None:
    tools = await listed(era)
    assert {tool["name"]: list(tool["inputSchema"]["properties"]) for tool in tools} == PARAMETERS
    assert len(json.dumps(tools, separators=(",", ":"), ensure_ascii=False).encode()) < 6_000
    assert tools == await listed("auto")


@pytest.mark.requirement("SRV-SMALL")
async def test_every_parameter_is_described_in_a_lean_and_closed_schema() -> None:
    for tool in await listed("auto"):
        schema = tool["inputSchema"]
        assert "outputSchema" not in tool
        assert schema["additionalProperties"] is False
        assert [
            name for name, field in schema["properties"].items() if len(field.get("description", "")) < 10
        ] == []
        # Claude Code cuts a description at 2 KB.
        assert len(tool["description"].encode()) < 2048
        for node in nodes(schema):
            assert "title" not in node
            assert node.get("type") != "null"
            assert node.get("type") != "array" or "items" in node


async def test_the_annotations_say_what_each_tool_does_to_its_world() -> None:
    hints = {tool["name"]: tool["annotations"] for tool in await listed("auto")}
    reads = {"readOnlyHint": True, "openWorldHint": False}
    assert hints == {
        "prune_context": reads | {"readOnlyHint": False, "destructiveHint": False, "idempotentHint": True},
        "context_tree_query": reads,
        "collapse_turns": reads | {"readOnlyHint": False, "destructiveHint": False},
        "context_usage": reads,
        "history_search": reads,
        "history_read": reads,
    }


async def test_the_server_introduces_itself_briefly(connect: Connect, fake: FakeEngine) -> None:
    async with connect(fake.engine) as client:
        assert client.instructions == INSTRUCTIONS
    assert len(INSTRUCTIONS) < 300


def test_a_parameter_without_description_is_a_mistake() -> None:
    with pytest.raises(ValueError, match="parameter x has no description"):
        lean({"properties": {"x": {"type": "string"}}})
