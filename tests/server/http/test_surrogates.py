"""Text that is not valid Unicode, coming in over HTTP: it costs only itself."""

from __future__ import annotations

import json

import pytest

from tests.server.archived import LONE, LONG, conversation
from tests.server.conftest import Era
from tests.server.http.raw import call, headers, message, opened, result, sse_call
from tests.server.http.serving import Served

pytestmark = pytest.mark.requirement("REC-SURROGATE", "SRV-STRICT")


def test_a_lone_surrogate_in_a_request_is_read_as_u_fffd(http: Served, era: Era) -> None:
    answer = call(http, era, "prune_context", {"messages": conversation(LONE, LONG, LONG)})
    [shown] = answer["structuredContent"]["messages"][2]["content"]
    assert shown["content"] == "before \ufffd after"


def test_a_lone_surrogate_in_a_request_over_sse_is_read_as_u_fffd(http: Served) -> None:
    answer = sse_call(http, "prune_context", {"messages": conversation(LONE, LONG, LONG)})
    [shown] = answer["structuredContent"]["messages"][2]["content"]
    assert shown["content"] == "before \ufffd after"


def test_surrogates_in_messages_that_came_as_text_leave_as_u_fffd(http: Served, era: Era) -> None:
    answer = call(http, era, "prune_context", {"messages": json.dumps(conversation(LONE, LONE))})
    told = answer["structuredContent"]
    assert [told["messages"][at]["content"][0]["content"] for at in (2, 6)] == ["before \ufffd after"] * 2
    assert "2 lone surrogates" in answer["content"][0]["text"]


def test_bytes_that_are_no_utf_8_are_read_as_u_fffd(http: Served) -> None:
    session = opened(http)
    body = message("tools/call", name="history_search", arguments={"query": "walrus BYTES", "all": True})
    answer = http.request(
        body=body.replace(b"BYTES", b"\xff\xfe"), **headers("legacy", "tools/call", session=session)
    )
    assert "a «walrus» sings" in result(answer)["content"][0]["text"]


@pytest.mark.parametrize("rubbish", [b"", b"not json", b"null", b"[1]", b'{"jsonrpc": "2.0"', b"\xff" * 1000])
def test_rubbish_is_an_error_and_the_server_goes_on(http: Served, rubbish: bytes) -> None:
    assert http.request(body=rubbish).status == 400
    assert http.request("GET", "/health").status == 200
