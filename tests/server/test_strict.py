"""Wrong arguments are refused in our words and reach no engine; foreseen failures say what they are."""

from __future__ import annotations

import logging
from pathlib import Path
from typing import Any

import pytest

from prune_mcp.engine.answers import UnknownRef
from prune_mcp.engine.engine import Engine
from prune_mcp.sessions.model import SessionError
from prune_mcp.storage.errors import StoreFull
from tests.server.conftest import Connect, FakeEngine, text_of

pytestmark = pytest.mark.requirement("SRV-STRICT")

PRUNE, QUERY = "prune_context", "context_tree_query"
WRONG: list[tuple[str, dict[str, Any], list[str]]] = [
    (PRUNE, {"sesion": "x"}, ["no parameter `sesion`", "Did you mean `session`?"]),
    (PRUNE, {"keepTurns": 3}, ["no parameter `keepTurns`", "Did you mean `keep_turns`?"]),
    (PRUNE, {"fuse": True}, ["no parameter `fuse`", "session, messages, note, keep_turns, dry_run, summarize"]),
    (PRUNE, {"summarize": "server"}, ['`summarize` must be "client" or "endpoint", but it is the text "server"']),
    (PRUNE, {"x" * 5000: 1}, ["no parameter `xxx"]),
    (PRUNE, {"session": 5}, ["`session` must be a text", "the number 5"]),
    (PRUNE, {"messages": "hello"}, ["`messages` must be a list of objects or an object", 'the text "hello"']),
    (PRUNE, {"messages": 5}, ["`messages` must be a list of objects or an object", "the number 5"]),
    (PRUNE, {"note": ["a"]}, ["`note` must be a text", "a list"]),
    (PRUNE, {"keep_turns": "3"}, ["`keep_turns` must be a whole number of at least 0", 'the text "3"']),
    (PRUNE, {"keep_turns": 2.5}, ["the number 2.5"]),
    (PRUNE, {"keep_turns": True}, ["`keep_turns` must be a whole number", "it is true"]),
    (PRUNE, {"keep_turns": -1}, ["at least 0", "the number -1"]),
    (PRUNE, {"dry_run": "yes"}, ["`dry_run` must be true or false", 'the text "yes"']),
    (PRUNE, {"dry_run": 1, "keep_turns": "x"}, ["`dry_run` must be", "`keep_turns` must be"]),
    (QUERY, {"ref": "t5"}, ["no parameter `ref`", "Did you mean `refs`?"]),
    (QUERY, {"refs": 5}, ["`refs` must be a list of texts", "the number 5"]),
    (QUERY, {"refs": ["t1", 5]}, ["`refs` must be a list of texts", "item 2 of it is the number 5"]),
    (QUERY, {"refs": {"a": 1}}, ["`refs` must be a list of texts", "an object"]),
    (QUERY, {"refs": ["t1"], "limit": 0}, ["`limit` must be a whole number of at least 1", "the number 0"]),
    (QUERY, {"refs": ["t1"], "lines": 2.5}, ["`lines` must be a text or a whole number", "the number 2.5"]),
    (QUERY, {"refs": ["t1"], "lines": True}, ["`lines` must be a text or a whole number", "it is true"]),
    (QUERY, {"refs": ["t1"], "context": "2"}, ["`context` must be a whole number of at least 0"]),
    (QUERY, {"pattern": "x"}, ["`pattern`", "`refs`"]),
]


@pytest.mark.parametrize(("tool", "arguments", "told"), WRONG)
async def test_a_wrong_argument_is_refused_by_name_and_reaches_no_engine(
    connect: Connect, fake: FakeEngine, tool: str, arguments: dict[str, Any], told: list[str]
) -> None:
    async with connect(fake.engine) as client:
        result = await client.call_tool(tool, arguments)
    assert result.is_error
    message = text_of(result)
    assert [part for part in told if part not in message] == []
    assert [
        word for word in ("pydantic", "validation error", "Error executing", "input_value") if word in message
    ] == []
    assert len(message) < 500
    assert [name for name, _ in fake.calls if name != "close"] == []


@pytest.mark.parametrize(
    ("given", "taken"),
    [
        ("t5, t6", ["t5, t6"]),
        ('["t5", "t6"]', ["t5", "t6"]),
        (["t5", "t6"], ["t5", "t6"]),
    ],
)
async def test_refs_come_as_a_list_or_as_one_text(
    connect: Connect, fake: FakeEngine, given: Any, taken: list[str]
) -> None:
    async with connect(fake.engine) as client:
        result = await client.call_tool(QUERY, {"refs": given, "session": "s1"})
    assert not result.is_error, text_of(result)
    assert fake.calls[0][1]["refs"] == taken


@pytest.mark.parametrize(("given", "taken"), [(318, "318"), ("318", "318"), (-1, "-1"), ("2:5", "2:5")])
async def test_one_line_comes_as_a_number_or_as_a_text(
    connect: Connect, fake: FakeEngine, given: Any, taken: str
) -> None:
    async with connect(fake.engine) as client:
        result = await client.call_tool(QUERY, {"refs": ["t1"], "lines": given, "session": "s1"})
    assert not result.is_error, text_of(result)
    assert fake.calls[0][1]["lines"] == taken


async def test_null_is_as_good_as_leaving_an_argument_out(connect: Connect, fake: FakeEngine) -> None:
    arguments = {"messages": [{"role": "user", "content": "a"}], "keep_turns": None, "note": None, "session": None}
    async with connect(fake.engine) as client:
        assert not (await client.call_tool(PRUNE, arguments)).is_error
    _, values = fake.calls[0]
    assert (values["keep_turns"], values["note"], values["session"]) == (None, "", None)


@pytest.mark.parametrize("text", ["[1]", "null", "{}", "5", '"a"'])
async def test_texts_that_look_like_json_stay_texts(connect: Connect, fake: FakeEngine, text: str) -> None:
    arguments = {"refs": ["t1"], "pattern": text, "session": text}
    async with connect(fake.engine) as client:
        assert not (await client.call_tool(QUERY, arguments)).is_error
    assert fake.calls[0][1]["pattern"] == text


@pytest.mark.parametrize(
    "error",
    [SessionError("no such session: do this"), StoreFull("the disk is full"), UnknownRef("t9 is not known")],
)
async def test_a_foreseen_failure_is_told_in_its_own_words_alone(
    connect: Connect, fake: FakeEngine, error: Exception
) -> None:
    fake.fails = error
    async with connect(fake.engine) as client:
        result = await client.call_tool(PRUNE, {"messages": []})
    assert (result.is_error, text_of(result)) == (True, str(error))


@pytest.mark.parametrize(
    "messages",
    [
        [1, 2, 3],
        [{"type": "user", "message": {"role": "user"}}],
        {"messages": [{"role": "user", "content": "a"}], "input": "b"},
        [{"role": "tool", "content": "a"}, {"role": "user", "content": [{"type": "tool_result"}]}],
    ],
)
async def test_what_holds_no_messages_is_told_what_a_message_looks_like_and_no_format_is_asked_for(
    connect: Connect, home: Path, messages: Any
) -> None:
    engine = Engine({"HOME": str(home), "PRUNE_MCP_HOME": str(home / "prune-mcp")})
    async with connect(engine) as client:
        result = await client.call_tool(PRUNE, {"messages": messages})
    assert result.is_error
    assert '{"role": "user", "content": "..."}' in text_of(result)
    assert "Name the format" not in text_of(result)


async def test_an_unforeseen_failure_goes_to_the_log_and_not_to_the_model(
    connect: Connect, fake: FakeEngine, caplog: pytest.LogCaptureFixture
) -> None:
    fake.fails = RuntimeError("secret detail")
    with caplog.at_level(logging.ERROR):
        async with connect(fake.engine) as client:
            result = await client.call_tool(PRUNE, {"messages": []})
    assert result.is_error
    assert "secret" not in text_of(result)
    assert "nobody foresaw" in text_of(result)
    assert "secret detail" in caplog.text
