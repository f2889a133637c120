"""Which format an array or body is in."""

from __future__ import annotations

from typing import Any

import pytest

from prune_mcp.sessions.messages.open import open_messages
from prune_mcp.sessions.model import SessionError
from prune_mcp.sessions.view import View

pytestmark = pytest.mark.requirement("SES-MESSAGES")

HELLO = {"role": "user", "content": "hello"}
CALL = {"id": "c1", "type": "function", "function": {"name": "read", "arguments": "{}"}}
TOOL_USE = {"type": "tool_use", "id": "c1", "name": "read", "input": {}}


@pytest.mark.parametrize(
    ("payload", "format"),
    [
        ([HELLO, {"role": "assistant", "content": [TOOL_USE]}], "anthropic"),
        ([{"role": "user", "content": [{"type": "image", "source": {"type": "url", "url": "x"}}]}], "anthropic"),
        (
            [{"role": "assistant", "content": [{"type": "thinking", "thinking": "a", "signature": "b"}]}],
            "anthropic",
        ),
        ([HELLO, {"role": "assistant", "content": None, "tool_calls": [CALL]}], "openai-chat"),
        ([HELLO, {"role": "tool", "tool_call_id": "c1", "content": "x"}], "openai-chat"),
        ([HELLO, {"role": "assistant", "content": "", "function_call": CALL["function"]}], "openai-chat"),
        ([{"role": "user", "content": [{"type": "image_url", "image_url": {"url": "x"}}]}], "openai-chat"),
        ([HELLO, {"role": "assistant", "content": "a", "reasoning_content": "b"}], "openai-chat"),
        (
            [HELLO, {"type": "function_call", "call_id": "c1", "name": "read", "arguments": "{}"}],
            "openai-responses",
        ),
        ([HELLO, {"type": "reasoning", "summary": []}], "openai-responses"),
        ([{"role": "user", "content": [{"type": "input_text", "text": "hello"}]}], "openai-responses"),
        ({"input": "hello", "model": "m"}, "openai-responses"),
        ({"input": [HELLO]}, "openai-responses"),
        ({"messages": [HELLO, {"role": "tool", "tool_call_id": "c", "content": ""}]}, "openai-chat"),
    ],
)
def test_the_format_is_recognised_by_content(payload: Any, format: str) -> None:
    assert open_messages(payload).format == format


@pytest.mark.parametrize(
    ("payload", "format"),
    [
        ([HELLO], "anthropic"),
        ([], "anthropic"),
        ([{"role": "system", "content": "be brief"}, HELLO], "openai-chat"),
        ([{"role": "developer", "content": "be brief"}, HELLO], "openai-chat"),
        ({"messages": [HELLO], "system": "be brief"}, "anthropic"),
        ({"messages": [HELLO], "tools": [{"type": "function", "function": {"name": "read"}}]}, "openai-chat"),
        ([HELLO, {"role": "assistant", "content": "a", "refusal": None}], "openai-chat"),
        ([{"type": "message", "role": "developer", "content": "be brief"}, HELLO], "openai-responses"),
        ({"messages": [HELLO], "tools": [{"name": "read", "input_schema": {}}]}, "anthropic"),
    ],
)
def test_plain_text_that_fits_several_formats_is_always_read_as_the_same_one(payload: Any, format: str) -> None:
    conversation = open_messages(payload)
    assert conversation.format == format
    assert conversation.rebuild(conversation.render(View())) == payload


def test_calls_decide_over_what_gateways_carry_along_in_content() -> None:
    thought = {"type": "thinking", "thinking": "hm", "signature": "s"}
    messages = [HELLO, {"role": "assistant", "content": [thought], "tool_calls": [CALL]}]
    assert open_messages(messages).format == "openai-chat"


def test_responses_items_are_found_under_messages_too() -> None:
    reasoning = {"type": "reasoning", "summary": []}
    body = {"messages": [HELLO, reasoning], "x": 1}
    conversation = open_messages(body)
    assert conversation.format == "openai-responses"
    rebuilt = conversation.rebuild(conversation.render(View(inserted={0: ["more"]})))
    more = {"type": "message", "role": "user", "content": "more"}
    assert rebuilt == {"messages": [HELLO, more, reasoning], "x": 1}


def test_a_named_format_is_taken_as_named() -> None:
    assert open_messages([HELLO], "openai-chat").format == "openai-chat"
    assert open_messages([HELLO], format="openai-responses").format == "openai-responses"


@pytest.mark.parametrize(
    ("payload", "format", "words"),
    [
        ([{"foo": 1, "bar": 2}], None, ["'foo', 'bar'", "anthropic, openai-chat, openai-responses"]),
        ([{"type": "user", "message": {"role": "user"}}], None, ["'type', 'message'", "Name the format"]),
        ([{"sender": "human", "content": [TOOL_USE]}], None, ["'sender', 'content'", "Name the format"]),
        ([None, 3, "x"], None, ["NoneType, int, str", "Name the format"]),
        ([{"role": "assistant", "content": [TOOL_USE], "tool_calls": [CALL]}], None, ["tool_use", "tool_calls"]),
        ({"contents": []}, None, ["neither `messages` nor `input`", "'contents'"]),
        ({}, None, ["keys seen: none"]),
        ({"messages": [HELLO], "input": "x"}, None, ["both `messages` and `input`", "Name the format"]),
        ({"messages": "hello"}, None, ["`messages` must be an array, not str"]),
        ({"prompt": [HELLO]}, "openai-responses", ["no array under `input`", "'prompt'"]),
        ({"input": "hello"}, "anthropic", ["no array under `messages`", "'input'"]),
        ({"input": 7}, None, ["no array under `input`"]),
        ([HELLO], "claude", ["'claude'", "anthropic, openai-chat, openai-responses"]),
        ("hello", None, ["not str", "`messages` or `input`"]),
        (None, None, ["not NoneType"]),
    ],
)
def test_what_cannot_be_told_is_refused_in_words_that_help(
    payload: Any, format: str | None, words: list[str]
) -> None:
    with pytest.raises(SessionError) as refusal:
        open_messages(payload, format)
    for word in words:
        assert word in str(refusal.value)


@pytest.mark.parametrize("format", ["anthropic", "openai-chat", "openai-responses"])
def test_elements_that_are_no_messages_stay_in_place_and_are_counted(format: str) -> None:
    payload = [None, HELLO, 7, "stray", [1], {"foo": 1}, {"role": "narrator", "content": "x"}, {"role": "user"}]
    conversation = open_messages(payload, format)
    assert conversation.skipped == {"null": 1, "int": 1, "str": 1, "list": 1, "not a message": 2}
    assert [message.role for message in conversation.messages] == ["user", "user"]
    rendered = list(conversation.render(View(inserted={0: ["more"]})))
    assert [entry for entry in payload if entry is not HELLO] == [
        e for e in rendered if e in payload and e != HELLO
    ]
