"""The server as a process of its own, over real stdio: both eras, and text that is not valid Unicode."""

from __future__ import annotations

import json
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, StdioServerParameters

from prune_mcp.server.incoming import valid
from tests.server.archived import LONE, LONG, archived, conversation
from tests.server.conftest import Era, environment, text_of
from tests.server.transcripts import write_session


@pytest.mark.requirement("SRV-ERAS")
async def test_a_client_of_either_era_prunes_and_recovers(command: StdioServerParameters, era: Era) -> None:
    messages = conversation(*[f"{number}\n{LONG}" for number in range(6)])
    async with Client(command, mode=era) as client:
        pruned = await client.call_tool("prune_context", {"messages": messages})
        answer = pruned.structured_content
        assert answer is not None, text_of(pruned)
        assert (answer["effect"], answer["why"]) == ("applied", "messages-returned")
        assert answer["tokens_after"] < answer["tokens_before"]
        assert answer["refs"]
        recovered = await client.call_tool("context_tree_query", {"refs": ["t1"], "session": answer["session"]})
        assert f"0\n{LONG}" in text_of(recovered)
        tree = await client.call_tool("context_tree_query", {"session": answer["session"]})
        assert "t1" in text_of(tree)


@pytest.mark.requirement("REC-TREE", "SRV-STRICT")
async def test_a_cursor_alone_goes_on_with_its_tree_and_rubbish_is_no_cursor(
    command: StdioServerParameters,
) -> None:
    outputs = [f"{number}\n{LONG}" for number in range(6)]
    async with Client(command) as client:
        for first in ("one", "other"):
            messages = [{"role": "user", "content": first}, *conversation(*outputs)]
            pruned = await client.call_tool("prune_context", {"messages": messages})
        assert pruned.structured_content is not None
        session = pruned.structured_content["session"]
        page = await client.call_tool("context_tree_query", {"session": session, "limit": 1})
        cursor = text_of(page).rpartition("cursor: ")[2]
        rest = await client.call_tool("context_tree_query", {"cursor": cursor})
        assert text_of(rest).startswith(f"session {session}")
        rubbish = await client.call_tool("context_tree_query", {"cursor": "rubbish"})
        assert rubbish.is_error
        assert "This is no cursor of this tool" in text_of(rubbish)


@pytest.mark.requirement("PRU-EFFECT")
async def test_the_answer_is_structured_and_the_same_as_text_and_the_messages_keep_their_shape(
    command: StdioServerParameters,
) -> None:
    body = {"model": "m", "messages": conversation(*[LONG] * 6), "unknown": {"kept": [1, 2.5, None]}}
    async with Client(command) as client:
        result = await client.call_tool("prune_context", {"messages": body, "note": "the flaky test"})
    answer = result.structured_content
    assert answer is not None
    assert {key: answer["messages"][key] for key in ("model", "unknown")} == {
        "model": "m",
        "unknown": body["unknown"],
    }
    assert isinstance(answer["messages"]["messages"], list)
    told = text_of(result)
    for part in (answer["effect"], answer["why"], answer["summary"], answer["session"], *answer["next_steps"]):
        assert part in told
    assert json.loads(getattr(result.content[1], "text", "")) == answer["messages"]


@pytest.mark.requirement("PRU-EFFECT", "SRV-ERAS")
async def test_a_session_on_disk_gets_a_plan_and_the_honest_next_steps_of_its_host(
    command: StdioServerParameters, era: Era, home: Path, tmp_path: Path
) -> None:
    path = write_session(home, "abcd-1234", tmp_path, outputs=[f"{number}\n{LONG}" for number in range(6)])
    before = path.read_bytes()
    async with Client(command, mode=era) as client:
        result = await client.call_tool("prune_context", {"session": "abcd"})
        answer = result.structured_content
        assert answer is not None, text_of(result)
        told = (answer["effect"], answer["why"], answer["host"], answer["session"])
        assert told == ("advisory", "no-lever", "claude-code", "abcd-1234")
        assert "messages" not in answer
        assert "/compact in Claude Code" in " ".join(answer["next_steps"])
        shown = await client.call_tool("context_tree_query", {"refs": ["t1"], "session": str(path), "lines": ":2"})
        assert "0\nline 0: nothing of interest" in text_of(shown)
    assert path.read_bytes() == before


@pytest.mark.requirement("SRV-STRICT")
async def test_a_store_of_a_newer_version_is_one_clear_sentence(
    command: StdioServerParameters, home: Path
) -> None:
    archived(home, LONG)
    connection = sqlite3.connect(home / "prune-mcp" / "data" / "store.db")
    connection.execute("PRAGMA user_version = 9999")
    connection.close()
    async with Client(command) as client:
        for tool, arguments in (("prune_context", {"messages": conversation(LONG)}), ("context_tree_query", {})):
            result = await client.call_tool(tool, arguments)
            assert result.is_error
            assert "newer" in text_of(result)
            assert "nobody foresaw" not in text_of(result)


@pytest.mark.requirement("REC-SURROGATE")
async def test_a_lone_surrogate_in_an_answer_does_not_end_the_server(
    command: StdioServerParameters, home: Path, era: Era
) -> None:
    session = archived(home, LONE)
    async with Client(command, mode=era) as client:
        shown = text_of(await client.call_tool("context_tree_query", {"refs": ["t1"], "session": session}))
        assert "before \ufffd after" in shown
        assert "U+FFFD" in shown
        assert len((await client.list_tools()).tools) > 1


@contextmanager
def raw_server(home: Path) -> Iterator[subprocess.Popen[bytes]]:
    """The server as a process, the handshake done, for messages that no client library would send."""
    process = subprocess.Popen(
        [sys.executable, "-m", "prune_mcp.server"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment(home),
    )
    params = {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": {"name": "raw", "version": "1"}}
    try:
        ask(process, {"id": 0, "method": "initialize", "params": params})
        send(process, {"method": "notifications/initialized"})
        yield process
    finally:
        process.communicate(timeout=30)


def send(process: subprocess.Popen[bytes], message: dict[str, Any]) -> None:
    assert process.stdin is not None
    process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
    process.stdin.flush()


def ask(process: subprocess.Popen[bytes], message: dict[str, Any]) -> dict[str, Any]:
    """The answer to one request; notifications on the way are passed over."""
    send(process, message)
    assert process.stdout is not None
    for line in process.stdout:
        answer: dict[str, Any] = json.loads(line)
        if answer.get("id") == message["id"]:
            return answer
    raise AssertionError("the server ended without an answer")


@pytest.mark.requirement("REC-SURROGATE", "SRV-STRICT")
def test_a_lone_surrogate_in_a_request_does_not_end_the_server(home: Path) -> None:
    with raw_server(home) as process:
        call = {"name": "prune_context", "arguments": {"messages": conversation(LONE, LONG, LONG)}}
        result = ask(process, {"id": 1, "method": "tools/call", "params": call})["result"]
        [shown] = result["structuredContent"]["messages"][2]["content"]
        assert shown["content"] == "before \ufffd after"
        assert len(ask(process, {"id": 2, "method": "tools/list"})["result"]["tools"]) > 1


@pytest.mark.requirement("REC-SURROGATE")
def test_surrogates_in_messages_that_came_as_text_leave_as_u_fffd_and_the_answer_says_so(home: Path) -> None:
    with raw_server(home) as process:
        call = {"name": "prune_context", "arguments": {"messages": json.dumps(conversation(LONE, LONE))}}
        result = ask(process, {"id": 1, "method": "tools/call", "params": call})["result"]
    answer = result["structuredContent"]
    assert [answer["messages"][at]["content"][0]["content"] for at in (2, 6)] == ["before \ufffd after"] * 2
    assert [one["detail"] for one in answer["diagnostics"] if one["kind"] == "unicode"] == [
        "2 lone surrogates are shown as U+FFFD"
    ]
    assert "2 lone surrogates" in result["content"][0]["text"]


@pytest.mark.requirement("REC-SURROGATE")
@pytest.mark.parametrize(
    ("line", "read"),
    [
        (r'"\ud800"', r'"\ufffd"'),
        (r'"\uDfFf\ud800"', r'"\ufffd\ufffd"'),
        (r'"\ud83d\ude00 \ud83d"', r'"\ud83d\ude00 \ufffd"'),
        (r'"\ud800\ud83d\ude00"', r'"\ufffd\ud83d\ude00"'),
        (r'"C:\\ud800"', r'"C:\\ud800"'),
        (r'"\\\ud800"', r'"\\\ufffd"'),
        (r'"\u00e9 \n plain"', r'"\u00e9 \n plain"'),
    ],
)
def test_only_the_escapes_of_lone_surrogates_are_replaced(line: str, read: str) -> None:
    assert valid(line) == read


@pytest.mark.requirement("SRV-STRICT")
def test_rubbish_on_stdin_costs_only_itself(home: Path) -> None:
    with raw_server(home) as process:
        assert process.stdin is not None
        process.stdin.write(b"\x00\xff not json\n[]\nnull\n")
        assert len(ask(process, {"id": 2, "method": "tools/list"})["result"]["tools"]) > 1
    assert process.returncode == 0


@pytest.mark.requirement("SRV-STRICT")
@pytest.mark.parametrize(
    ("line", "id", "code", "told"),
    [
        (b"not json", None, -32700, "no JSON"),
        (b'{"jsonrpc": "2.0", "id": 7, "method": "tools/list"', None, -32700, "no JSON"),
        (b"[" * 100_000, None, -32700, "too deeply"),
        (b'[{"jsonrpc": "2.0", "id": 7, "method": "tools/list"}]', None, -32600, "One request at a time"),
        (b"null", None, -32600, "no message of JSON-RPC 2.0"),
        (b'{"id": 7, "method": "tools/list"}', 7, -32600, "no message of JSON-RPC 2.0"),
        (
            b'{"jsonrpc": "2.0", "id": "x", "method": "a", "params": {"b": ' + b"[" * 300 + b"]" * 300 + b"}}",
            "x",
            -32600,
            "too deeply",
        ),
    ],
)
def test_a_line_that_is_no_message_is_answered_so_that_nobody_waits(
    home: Path, line: bytes, id: object, code: int, told: str
) -> None:
    with raw_server(home) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        process.stdin.write(b"\n" + line + b"\n")
        process.stdin.flush()
        answer = json.loads(process.stdout.readline())
        assert (answer["id"], answer["error"]["code"]) == (id, code)
        assert told in answer["error"]["message"]
        assert ask(process, {"id": 8, "method": "ping"})["result"] == {}
