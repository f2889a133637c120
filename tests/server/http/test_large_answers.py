"""Answers larger than clients read in one event: whole, leaner, or an error that says what to do."""

from __future__ import annotations

import json
from typing import Any

import pytest
from mcp.shared.exceptions import MCPError
from mcp.types import TextContent

from prune_mcp.server.http.events import Events
from tests.server.conftest import Era
from tests.server.http.serving import Place, TransportName

pytestmark = pytest.mark.requirement("SRV-ERAS", "SRV-HTTP")

LINE = 'so he said "fine" and went on\n'


def history(chars: int) -> list[dict[str, Any]]:
    """Messages of about so many characters, of which nothing can be pruned."""
    texts = [LINE * 1000] * (chars // len(LINE * 1000))
    return [{"role": "user" if at % 2 == 0 else "assistant", "content": text} for at, text in enumerate(texts)]


async def test_messages_of_over_half_a_megabyte_come_back_on_every_transport(
    place: Place, transport: TransportName, era: Era
) -> None:
    messages = history(700_000)
    async with place.client(era) as client:
        result = await client.call_tool("prune_context", {"messages": messages})
    assert result.structured_content is not None
    assert result.structured_content["messages"] == messages
    copy = result.content[1]
    assert isinstance(copy, TextContent)
    if transport == "sse":
        assert "it is in structuredContent" in copy.text
    else:
        assert json.loads(copy.text) == messages


async def test_what_no_event_can_hold_is_an_error_and_the_connection_goes_on(
    place: Place, transport: TransportName, era: Era
) -> None:
    messages = history(1_500_000)
    async with place.client(era) as client:
        if transport == "sse":
            with pytest.raises(MCPError, match="Ask again at /mcp"):
                await client.call_tool("prune_context", {"messages": messages})
        else:
            result = await client.call_tool("prune_context", {"messages": messages})
            assert result.structured_content is not None
            assert result.structured_content["messages"] == messages
        assert (await client.list_tools()).tools


def answer(text: str) -> dict[str, Any]:
    """A tool's answer that says a text twice."""
    copies = [{"type": "text", "text": "done"}, {"type": "text", "text": text}]
    return {"jsonrpc": "2.0", "id": 7, "result": {"content": copies, "structuredContent": {"messages": text}}}


async def sent(*events: Any) -> list[Any]:
    """What a client gets of these events: the type, then each piece as JSON."""

    async def app(scope: Any, receive: Any, send: Any) -> None:
        headers = [(b"content-type", b"text/event-stream")]
        await send({"type": "http.response.start", "status": 200, "headers": headers})
        for event in events:
            body = b"event: message\r\ndata: " + json.dumps(event).encode() + b"\r\n\r\n"
            await send({"type": "http.response.body", "body": body, "more_body": True})
        await send({"type": "http.response.body", "body": b"", "more_body": False})

    got: list[Any] = []

    async def take(message: Any) -> None:
        if message["type"] == "http.response.start":
            got.append(dict(message["headers"])[b"content-type"].decode())
        elif body := message["body"]:
            got.append(json.loads(body.rpartition(b"data: ")[2]))

    async def receive() -> Any:
        return {"type": "http.disconnect"}

    await Events(app, most=1000)({"type": "http", "method": "POST"}, receive, take)
    return got


async def test_an_answer_after_progress_stays_an_event_and_is_leaner() -> None:
    progress, long = {"jsonrpc": "2.0", "method": "notifications/progress"}, answer("x" * 600)
    assert await sent(long) == ["application/json", long]
    type, first, told = await sent(progress, long)
    assert (type, first) == ("text/event-stream", progress)
    assert told["result"]["structuredContent"] == {"messages": "x" * 600}
    assert told["result"]["content"][0]["text"] == "done"
    assert "structuredContent" in told["result"]["content"][1]["text"]


async def test_an_answer_after_progress_that_is_larger_still_is_an_error() -> None:
    progress = {"jsonrpc": "2.0", "method": "notifications/progress"}
    _, _, told = await sent(progress, answer("x" * 1200))
    assert told["id"] == 7
    assert "larger than the 1,000 bytes" in told["error"]["message"]
    assert "result" not in told
