"""Lists and pages at the exact lengths where they are cut or refused."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from mcp import Client
from mcp.types import TextContent

from prune_mcp.engine import Engine
from prune_mcp.server.app import make_server
from tests.pruning.build import Talk, call


@pytest.mark.requirement("COL-BUILD")
@pytest.mark.parametrize(("files", "head"), [(12, "modified (12): "), (13, "modified (13, the last 12): ")])
def test_a_collapse_lists_twelve_of_a_kind_and_counts_from_the_thirteenth_on(
    make_engine: Callable[..., Engine], files: int, head: str
) -> None:
    talk = Talk().prompt("Write them.")
    for number in range(files):
        talk.turn(call("Write", "ok " * 50, content="x", file_path=f"/a/{number}.py"))
    answer = make_engine().collapse_messages(talk.answer("Done.").messages)
    assert head in answer.text
    assert ("/a/0.py" in answer.text) is (files == 12)


@pytest.mark.requirement("USE-ROWS")
@pytest.mark.parametrize(("tools", "more"), [(30, 0), (31, 1)])
def test_usage_shows_thirty_parts_of_a_row_and_counts_from_the_next_on(
    make_engine: Callable[..., Engine], tools: int, more: int
) -> None:
    talk = Talk().prompt("Try all.")
    for number in range(tools):
        talk.turn(call(f"tool_{number}", "x" * 40))
    rows = make_engine().usage_messages(talk.messages).rows
    (row,) = (row for row in rows if row.category == "results")
    assert (len(row.parts), row.more, row.more_tokens, row.tokens) == (30, more, more * 13, tools * 13)


@pytest.mark.requirement("HIS-PAGE", "SRV-STRICT")
@pytest.mark.parametrize(
    ("tool", "arguments", "refused"),
    [
        ("history_read", {"entry": "x@y", "limit": 1999}, True),
        ("history_read", {"entry": "x@y", "limit": 2000}, False),
        ("history_read", {"entry": "x@y", "limit": 20_000}, False),
        ("history_read", {"entry": "x@y", "limit": 20_001}, True),
        ("history_read", {"entry": "x@y", "offset": -1}, True),
        ("history_search", {"query": "x", "all": True, "limit": 0}, True),
        ("history_search", {"query": "x", "all": True, "limit": 1}, False),
        ("history_search", {"query": "x", "all": True, "limit": 50}, False),
        ("history_search", {"query": "x", "all": True, "limit": 51}, True),
    ],
)
async def test_pages_of_the_past_are_refused_outside_of_their_limits(
    env: dict[str, str], home: Path, tool: str, arguments: dict[str, Any], refused: bool
) -> None:
    async with Client(make_server(lambda: Engine(env))) as client:
        answer = await client.call_tool(tool, arguments)
    text = "".join(item.text for item in answer.content if isinstance(item, TextContent))
    assert ("must be a whole number" in text) is refused
