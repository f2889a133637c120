"""The tool `context_usage`, in both eras of the protocol: text and structured answer tell the same."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any, Literal

import pytest
from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.types import CallToolResult, TextContent

from tests.server.conftest import environment
from tests.server.transcripts import call_entry, write_session
from tests.usage.writing import SESSION, Claude, lines, text

pytestmark = pytest.mark.requirement("USE-ROWS", "SRV-ERAS")
Era = Literal["auto", "legacy"]
ERAS: tuple[Era, ...] = ("auto", "legacy")


@asynccontextmanager
async def served(home: Path, folder: Path, era: Era) -> AsyncIterator[Client]:
    """A client of a server process in a folder."""
    command = StdioServerParameters(
        command=sys.executable, args=["-m", "prune_mcp.server"], env=environment(home), cwd=str(folder)
    )
    async with Client(stdio_client(command), mode=era) as client:
        yield client


def text_of(result: CallToolResult) -> str:
    (block,) = result.content
    assert isinstance(block, TextContent)
    return block.text


def numbers(value: Any) -> set[int]:
    """Every number of tokens in a structured answer."""
    if isinstance(value, dict):
        return {n for key, item in value.items() for n in ({item} if key == "tokens" else numbers(item))}
    return {n for item in value for n in numbers(item)} if isinstance(value, list) else set()


@pytest.mark.parametrize("era", ERAS)
async def test_a_session_s_usage_is_told_in_few_words_and_in_full(home: Path, folder: Path, era: Era) -> None:
    async with served(home, folder, era) as client:
        result = await client.call_tool("context_usage", {"session": SESSION[:8]})
    told, value = text_of(result), result.structured_content
    assert not result.is_error
    assert value is not None
    assert len(told.encode()) < 4000
    assert sum(row["tokens"] for row in value["rows"]) == value["total"]
    assert value["total"] + value["free"] == value["window"] == 200_000
    for row in value["rows"]:
        assert re.search(rf"^{re.escape(row['label'])}: ~?{row['tokens']:,} ", told, re.MULTILINE)
    for item in value["items"]:
        assert f"{item['ref']} " in told
    assert {int(n.replace(",", "")) for n in re.findall(r"~([\d,]*\d)", told)} - {0} <= told_by(value)


def told_by(value: Any) -> set[int]:
    """The numbers that a structured answer tells, and what is counted together in its rows."""
    rows = value["rows"]
    sums = {
        sum(part["tokens"] for part in row["parts"][n:]) + row["more_tokens"] for row in rows for n in range(31)
    }
    saving = value["saving"]
    return numbers(value) | sums | {value["counted"]["since"], saving["before"], saving["after"]}


@pytest.mark.parametrize("era", ERAS)
async def test_messages_passed_in_are_weighed_in_the_same_way(home: Path, folder: Path, era: Era) -> None:
    body = {
        "model": "gpt-5",
        "messages": [
            {"role": "system", "content": lines("rule", 9)},
            {"role": "user", "content": "Hello there."},
        ],
        "tools": [{"type": "function", "function": {"name": "look", "parameters": {}}}],
    }
    async with served(home, folder, era) as client:
        result = await client.call_tool("context_usage", {"messages": body})
    value = result.structured_content
    assert value is not None
    assert {row["category"] for row in value["rows"]} == {"system", "tools", "user"}
    assert value["window"] == 400_000
    assert "tool definitions" in text_of(result)


@pytest.mark.parametrize("era", ERAS)
async def test_without_arguments_it_is_the_conversation_that_calls(home: Path, folder: Path, era: Era) -> None:
    session = "0b5e55ed-2222-4222-8222-222222222222"
    call = call_entry(session, folder, {}, "context_usage")
    write_session(home, session, folder, outputs=[lines("x", 50)], tail=call)
    async with served(home, folder, era) as client:
        result = await client.call_tool("context_usage", {})
    assert result.structured_content is not None
    assert result.structured_content["session"] == session


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"sesion": "x"}, "Did you mean `session`?"),
        ({"messages": "hello"}, "`messages` must be a list of objects or an object"),
        ({"messages": [{"nothing": 1}]}, "as Anthropic Messages, OpenAI Chat Completions or OpenAI Responses"),
        ({"session": "ffffffff"}, "ffffffff"),
    ],
)
async def test_what_cannot_be_weighed_is_refused_in_plain_words(
    home: Path, folder: Path, arguments: dict[str, Any], words: str
) -> None:
    async with served(home, folder, "auto") as client:
        result = await client.call_tool("context_usage", arguments)
    assert result.is_error
    assert words in text_of(result)


async def test_text_that_is_not_valid_unicode_ends_no_server(home: Path, folder: Path) -> None:
    session = Claude().asks("Look \ud800 here.").runs("tool\udfff", {"path": "a\ud83d"}, "x\ud800" * 50)
    (path,) = home.rglob(f"{SESSION}.jsonl")
    session.write(path.parent)
    async with served(home, folder, "auto") as client:
        result = await client.call_tool("context_usage", {"session": SESSION})
        assert len((await client.list_tools()).tools) > 1
    assert "tool\ufffd" in text_of(result)
    assert "tool\ufffd" in json.dumps(result.structured_content, ensure_ascii=False)


async def test_a_context_of_very_many_tools_is_still_told_in_few_words(home: Path, folder: Path) -> None:
    session = Claude().asks("Try all.")
    for number in range(300):
        session.runs(f"mcp__{'very' * 12}_long_server__tool_{number:03d}", {"id": number}, lines(str(number), 9))
    session.says(text("Done."))
    (path,) = home.rglob(f"{SESSION}.jsonl")
    session.write(path.parent)
    async with served(home, folder, "auto") as client:
        result = await client.call_tool("context_usage", {"session": SESSION})
    assert len(text_of(result).encode()) < 4000
    assert result.structured_content is not None
    rows = {row["category"]: row for row in result.structured_content["rows"]}
    assert (len(rows["results"]["parts"]), rows["results"]["more"]) == (30, 270)
    assert json.dumps(result.structured_content)


async def test_the_tool_is_small_and_says_that_it_changes_nothing(home: Path, folder: Path) -> None:
    async with served(home, folder, "auto") as client:
        tools = (await client.list_tools()).tools
    (tool,) = (tool for tool in tools if tool.name == "context_usage")
    shown = tool.model_dump(by_alias=True, exclude_none=True, mode="json")
    assert len(json.dumps(shown, separators=(",", ":"))) < 470
    assert list(shown["inputSchema"]["properties"]) == ["session", "messages"]
    assert shown["annotations"]["readOnlyHint"] is True
