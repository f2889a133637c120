"""The judges themselves: good arrays pass, and each kind of fault is found."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.arrays import FORMATS
from tests.conversations import conversations
from tests.validity import (
    check_anthropic,
    check_claude_code,
    check_codex,
    check_openai_chat,
    check_openai_responses,
    check_pi,
)

CHECKS = {
    "anthropic": check_anthropic,
    "openai-chat": check_openai_chat,
    "openai-responses": check_openai_responses,
}


def kinds(problems: list[str]) -> list[str]:
    """What kinds of problems were found, each once."""
    return sorted({problem.split(":")[0] for problem in problems})


def user(*content: Any) -> dict[str, Any]:
    """A user message of blocks, or of one string."""
    return {"role": "user", "content": content[0] if isinstance(content[0], str) else list(content)}


def says(*content: Any) -> dict[str, Any]:
    """An assistant message."""
    return user(*content) | {"role": "assistant"}


def use(id: Any = "c1", input: Any = None) -> dict[str, Any]:
    """An Anthropic call."""
    return {"type": "tool_use", "id": id, "name": "read", "input": {} if input is None else input}


def result(id: Any = "c1", content: Any = "out") -> dict[str, Any]:
    """An Anthropic result."""
    return {"type": "tool_result", "tool_use_id": id, "content": content}


def text(text: Any = "a") -> dict[str, Any]:
    """A text block."""
    return {"type": "text", "text": text}


THOUGHT = {"type": "thinking", "thinking": "hm", "signature": "s"}
GO = user("Go.")


@pytest.mark.parametrize("format", list(FORMATS))
@settings(max_examples=50)
@given(data=st.data())
def test_valid_conversations_pass(format: str, data: st.DataObject) -> None:
    assert CHECKS[format](data.draw(conversations(format, valid_only=True))) == []


@pytest.mark.parametrize(
    "messages",
    [
        [GO],
        [GO, says(THOUGHT, text(), use(), use("c2")), user(result("c2"), result(), text()), says("b")],
        [GO, says(use()), user(result()), says(use()), user(result("c1", [text()]))],
        [GO, says(use()), user({"type": "tool_result", "tool_use_id": "c1"})],
    ],
)
def test_good_anthropic_arrays_pass(messages: list[Any]) -> None:
    assert check_anthropic(messages) == []


@pytest.mark.parametrize(
    ("messages", "found"),
    [
        ([], ["shape"]),
        ([None], ["shape"]),
        ([{"role": "user"}], ["shape"]),
        ([{"role": "tool", "content": "x"}], ["role"]),
        ([says("a")], ["order"]),
        ([GO, GO], ["order"]),
        ([user(" ")], ["content"]),
        ([user(text(""))], ["content"]),
        ([{"role": "user", "content": []}], ["content"]),
        ([{"role": "user", "content": None}], ["content"]),
        ([user("Go."), says(text(), "bare")], ["content"]),
        ([GO, says(use())], ["pairing"]),
        ([GO, says(use()), user("On.")], ["pairing"]),
        ([GO, says(use()), user(result("c2"))], ["pairing"]),
        ([GO, says(use()), user(result(), result())], ["pairing"]),
        ([GO, says(use()), user("On."), says("a"), user(result())], ["pairing"]),
        ([GO, says("a"), user(result())], ["pairing"]),
        ([GO, says(use()), user(text(), result())], ["order"]),
        ([GO, says(use(), use()), user(result(), result())], ["ids"]),
        ([GO, says(use("")), user(result(""))], ["ids"]),
        ([GO, says(use(input="x")), user(result())], ["arguments"]),
        ([GO, says(use()), user(result("c1", []))], ["content"]),
        ([GO, says(THOUGHT)], ["thinking"]),
        ([GO, says(text(), THOUGHT)], ["thinking"]),
        ([GO, says(use(), THOUGHT, text()), user(result())], ["thinking"]),
        ([GO, says({"type": "thinking", "thinking": "hm"}, text())], ["thinking"]),
        ([user(THOUGHT, text())], ["thinking"]),
        ([user(use()), says(result())], ["role"]),
    ],
)
def test_faults_of_anthropic_arrays_are_found(messages: list[Any], found: list[str]) -> None:
    assert set(found) <= set(kinds(check_anthropic(messages)))


def asks(*ids: Any, content: Any = None, arguments: Any = "{}") -> dict[str, Any]:
    """A Chat assistant message with calls."""
    calls = [{"id": i, "type": "function", "function": {"name": "read", "arguments": arguments}} for i in ids]
    return {"role": "assistant", "content": content, "tool_calls": calls}


def tool(id: Any = "c1", content: Any = "out") -> dict[str, Any]:
    """A Chat tool message."""
    return {"role": "tool", "tool_call_id": id, "content": content}


SYSTEM = {"role": "system", "content": "Be brief."}
LEGACY = {"role": "assistant", "content": None, "function_call": {"name": "add", "arguments": "{}"}}


@pytest.mark.parametrize(
    "messages",
    [
        [SYSTEM, GO, asks("c1", "c2"), tool("c2"), SYSTEM, tool("c1", ""), says("b"), GO],
        [GO, asks("c1"), tool(), asks("c1", content=""), tool("c1", [text()])],
        [GO, LEGACY, {"role": "function", "name": "add", "content": "3"}],
        [GO, {"role": "assistant", "content": None, "refusal": "No."}],
    ],
)
def test_good_chat_arrays_pass(messages: list[Any]) -> None:
    assert check_openai_chat(messages) == []


@pytest.mark.parametrize(
    ("messages", "found"),
    [
        ([], ["shape"]),
        ([3], ["shape"]),
        ([{"role": "narrator", "content": "x"}], ["role"]),
        ([user("")], ["content"]),
        ([GO, {"role": "assistant", "content": None}], ["content"]),
        ([GO, {"role": "assistant", "content": "a", "tool_calls": []}], ["shape"]),
        ([GO, asks("c1")], ["pairing"]),
        ([GO, asks("c1"), says("a"), tool()], ["pairing"]),
        ([GO, asks("c1"), GO, tool()], ["pairing"]),
        ([GO, asks("c1"), tool(), tool()], ["pairing"]),
        ([GO, tool()], ["pairing"]),
        ([GO, LEGACY], ["pairing"]),
        ([GO, asks("c1", "c1"), tool(), tool()], ["ids"]),
        ([GO, asks("c1", arguments={}), tool()], ["arguments"]),
        ([GO, asks("c1", arguments="{"), tool()], ["arguments"]),
        ([GO, asks("c1"), tool("c1", None)], ["content"]),
    ],
)
def test_faults_of_chat_arrays_are_found(messages: list[Any], found: list[str]) -> None:
    assert set(found) <= set(kinds(check_openai_chat(messages)))


def call(id: Any = "c1", **fields: Any) -> dict[str, Any]:
    """A Responses call."""
    return {"type": "function_call", "call_id": id, "name": "read", "arguments": "{}"} | fields


def output(id: Any = "c1", output: Any = "out", kind: str = "function_call_output") -> dict[str, Any]:
    """A Responses output."""
    return {"type": kind, "call_id": id, "output": output}


REASONING = {"type": "reasoning", "summary": []}
CUSTOM = {"type": "custom_tool_call", "call_id": "c1", "name": "patch", "input": "***"}


@pytest.mark.parametrize(
    "items",
    [
        [GO, REASONING, call(), call("c2"), output("c2"), GO, output(), REASONING, says("a")],
        [GO, call(), output(), call(), output("c1", [{"type": "input_text", "text": "x"}])],
        [GO, CUSTOM, output(kind="custom_tool_call_output"), {"type": "web_search_call"}],
    ],
)
def test_good_responses_inputs_pass(items: list[Any]) -> None:
    assert check_openai_responses(items) == []


@pytest.mark.parametrize(
    ("items", "found"),
    [
        ([], ["shape"]),
        ([None], ["shape"]),
        ([user("")], ["content"]),
        ([{"role": "tool", "content": "x"}], ["role"]),
        ([user({"type": "output_text", "text": "a"})], ["content"]),
        ([says({"type": "input_text", "text": "a"})], ["content"]),
        ([user(text())], ["content"]),
        ([GO, call()], ["pairing"]),
        ([GO, output(), call()], ["pairing"]),
        ([GO, call(), output(), output()], ["pairing"]),
        ([GO, CUSTOM, output()], ["pairing"]),
        ([GO, call(), call(), output(), output()], ["ids"]),
        ([GO, call(arguments={}), output()], ["arguments"]),
        ([GO, call(arguments="{"), output()], ["arguments"]),
        ([GO, call(), output("c1", None)], ["content"]),
        ([GO, REASONING], ["thinking"]),
        ([GO, REASONING, GO], ["thinking"]),
        ([GO, call(), REASONING, output()], ["thinking"]),
    ],
)
def test_faults_of_responses_inputs_are_found(items: list[Any], found: list[str]) -> None:
    assert set(found) <= set(kinds(check_openai_responses(items)))


def line(message: dict[str, Any], uuid: str = "", response: str = "") -> dict[str, Any]:
    """A Claude Code transcript line."""
    return {"type": message["role"], "uuid": uuid, "message": message | ({"id": response} if response else {})}


def test_claude_code_lines_of_one_response_are_one_message() -> None:
    lines = [
        {"type": "summary", "summary": "x"},
        line(GO, "1"),
        line(says(THOUGHT), "2", "r1"),
        line(says(use("c1")), "3", "r1"),
        line(user(result("c1")), "4"),
        line(says(use("c2")), "5", "r1"),
        {"type": "progress", "uuid": "6"},
        line(user(result("c2")), "7"),
        line(says(text()), "8", "r2"),
    ]
    assert check_claude_code(lines) == []


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        ([line(says(text()))], ["order"]),
        ([line(GO), line(says(use()), "", "r1")], ["pairing"]),
        ([line(GO), line(says(use()), "", "r1"), line(says(text()), "", "r2"), line(user(result()))], ["pairing"]),
        ([line(GO), line(user(result()))], ["pairing"]),
        ([line(GO), line(says(use()), "", "r1"), line(user(result())), line(user(result()))], ["pairing"]),
        ([line(GO, "1"), line(GO, "1")], ["ids"]),
        ([line({"role": "user", "content": []})], ["content"]),
        ([line(GO), line(says(use(input="x")), "", "r1"), line(user(result()))], ["arguments"]),
    ],
)
def test_faults_of_claude_code_lines_are_found(lines: list[Any], found: list[str]) -> None:
    assert set(found) <= set(kinds(check_claude_code(lines)))


def entry(role: str, content: Any, id: str = "", **fields: Any) -> dict[str, Any]:
    """A pi session entry."""
    return {"type": "message", "id": id, "message": {"role": role, "content": content, **fields}}


PI_CALL = {"type": "toolCall", "id": "c1", "name": "bash", "arguments": {}}
PI_RESULT = entry("toolResult", [text()], toolCallId="c1")


@pytest.mark.parametrize(
    ("entries", "found"),
    [
        ([entry("user", "Go."), entry("assistant", [PI_CALL]), entry("system", "x"), PI_RESULT], []),
        ([entry("user", "Go."), entry("assistant", [PI_CALL])], ["pairing"]),
        ([entry("user", "Go."), entry("assistant", [PI_CALL]), entry("assistant", []), PI_RESULT], ["pairing"]),
        ([entry("user", "Go."), PI_RESULT], ["pairing"]),
        ([entry("user", "Go."), entry("assistant", [PI_CALL]), PI_RESULT, PI_RESULT], ["pairing"]),
        ([entry("user", None)], ["content"]),
        ([entry("user", "a", "1"), entry("user", "a", "1")], ["ids"]),
        ([entry("user", "a"), entry("assistant", [PI_CALL | {"arguments": "x"}]), PI_RESULT], ["arguments"]),
    ],
)
def test_faults_of_pi_entries_are_found(entries: list[Any], found: list[str]) -> None:
    problems = check_pi(entries)
    assert set(found) <= set(kinds(problems))
    assert bool(problems) == bool(found)


def test_the_items_of_a_rollout_are_judged_wherever_they_stand() -> None:
    call = {"type": "function_call", "name": "f", "arguments": "{}", "call_id": "c1"}
    output = {"type": "function_call_output", "call_id": "c1", "output": "out"}
    lines = [
        {"type": "compacted", "payload": {"message": "", "replacement_history": [GO, call]}},
        {"type": "response_item", "payload": output},
        {"type": "compacted", "payload": {"message": "summary"}},
        {"type": "response_item", "payload": {"type": "local_shell_call", "call_id": "c2", "action": {}}},
        {"type": "response_item", "payload": output | {"call_id": "c2"}},
    ]
    assert check_codex(lines) == check_codex([]) == []
    assert check_codex([GO, call, output]) == [], "the old form"
    assert kinds(check_codex(lines[:1])) == kinds(check_codex(lines[1:])) == ["pairing"]
