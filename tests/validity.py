"""Whether messages would be taken by the API or host they are for: strict checks over raw JSON.

Independent of the product: nothing here knows how it reads or writes. Each check returns the problems it
finds, as `WHAT: entry N: why`, where WHAT is one of `shape`, `role`, `order`, `content`, `ids`, `pairing`,
`thinking` and `arguments`; no problems mean valid.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tests.validity_rules import (
    answer,
    call_faults,
    contents,
    json_arguments,
    parts,
    repeated,
    shapes,
    transcript_messages,
)

THINKING = ("thinking", "redacted_thinking")
CHAT_ROLES = ("system", "developer", "user", "assistant", "tool", "function")
RESPONSES_CALLS = {"function_call": "arguments", "custom_tool_call": "input"}


def check_anthropic(messages: Sequence[Any]) -> list[str]:
    """Problems of an Anthropic Messages array: roles alternate, results come first and answer the entry before."""
    if not messages:
        return ["shape: no messages"]
    problems = [*shapes(messages, ("user", "assistant"))]
    if problems:
        return problems
    if messages[0]["role"] != "user":
        problems.append("order: entry 0: does not begin with the user")
    for index, message in enumerate(messages):
        if index and messages[index - 1]["role"] == message["role"]:
            problems.append(f"order: entry {index}: role {message['role']} twice in a row")
        problems += contents(index, message["content"])
        problems += _anthropic_thinking(index, message)
        calls = parts(message, "tool_use")
        problems += call_faults(index, [(c.get("id"), c.get("name"), c.get("input")) for c in calls], dict)
        if calls and message["role"] != "assistant":
            problems.append(f"role: entry {index}: a call from the user")
        before = messages[index - 1] if index else {"content": ""}
        problems += _anthropic_results(index, message, [c.get("id") for c in parts(before, "tool_use")])
    left = [call.get("id") for call in parts(messages[-1], "tool_use")]
    return problems + [f"pairing: entry {len(messages) - 1}: call {id!r} has no result" for id in left]


def check_openai_chat(messages: Sequence[Any]) -> list[str]:
    """Problems of a Chat Completions array: tool messages follow the call at once, system messages aside."""
    if not messages:
        return ["shape: no messages"]
    problems = [*shapes(messages, CHAT_ROLES)]
    if problems:
        return problems
    waiting: list[Any] = []
    for index, message in enumerate(messages):
        role = message["role"]
        if role in ("tool", "function"):
            problems += answer(index, message.get("tool_call_id" if role == "tool" else "name"), waiting)
            problems += [f"content: entry {index}: a result without content"] * (
                message.get("content") in (None, [])
            )
            continue
        if role not in ("system", "developer"):
            problems += [f"pairing: entry {index}: call {id!r} has no result before it" for id in waiting]
            waiting = []
        if role == "assistant":
            waiting = _chat_ids(message)
            problems += _chat_assistant(index, message)
        else:
            problems += contents(index, message.get("content"))
    return problems + [f"pairing: entry {len(messages)}: call {id!r} has no result" for id in waiting]


def check_openai_responses(items: Sequence[Any]) -> list[str]:
    """Problems of a Responses input: outputs come after their call, reasoning is followed by what it led to."""
    if not items:
        return ["shape: no items"]
    problems: list[str] = []
    waiting: list[Any] = []
    for index, item in enumerate(items):
        if not isinstance(item, dict):
            problems.append(f"shape: entry {index}: {type(item).__name__} is no item")
            continue
        kind = item.get("type", "message")
        if kind == "message":
            problems += _responses_message(index, item)
        elif kind in RESPONSES_CALLS:
            value = item.get(RESPONSES_CALLS[kind])
            problems += call_faults(index, [(item.get("call_id"), item.get("name"), value)], str)
            if kind == "function_call":
                problems += json_arguments(index, value)
            id = (kind, item.get("call_id"))
            problems += [f"ids: entry {index}: call {id!r} is still open"] * (id in waiting)
            waiting.append(id)
        elif kind.endswith("_call_output"):
            problems += answer(index, (kind.removesuffix("_output"), item.get("call_id")), waiting)
            problems += [f"content: entry {index}: a result without output"] * (item.get("output") in (None, []))
        elif kind == "reasoning" and not _from_model(items[index + 1 : index + 2]):
            problems.append(f"thinking: entry {index}: nothing of the model follows this reasoning")
    return problems + [f"pairing: entry {len(items)}: call {id!r} has no result" for id in waiting]


def check_claude_code(entries: Sequence[Any]) -> list[str]:
    """Problems of Claude Code transcript entries: lines of one `message.id` are one response, whose calls are
    answered before another response begins; entries that are no messages are looked through."""
    problems: list[str] = []
    problems += repeated([(i, e["uuid"]) for i, e in enumerate(entries) if isinstance(e, dict) and e.get("uuid")])
    waiting: list[Any] = []
    response: Any = None
    said: list[tuple[int, Any]] = []
    for index, message in transcript_messages(entries, ("user", "assistant")):
        if response is None and not said and message["role"] != "user":
            problems.append(f"order: entry {index}: does not begin with the user")
        said = said or [(index, message)]
        problems += [f"content: entry {index}: empty content"] * (message.get("content") in (None, "", []))
        if message["role"] == "user":
            for result in parts(message, "tool_result"):
                problems += answer(index, result.get("tool_use_id"), waiting)
            continue
        if response is None or message.get("id") is None or message["id"] != response:
            problems += [f"pairing: entry {index}: call {id!r} has no result before it" for id in waiting]
            waiting, response = [], message.get("id", index)
        calls = parts(message, "tool_use")
        problems += call_faults(
            index, [(c.get("id"), c.get("name"), c.get("input")) for c in calls], dict, waiting
        )
        waiting += [call.get("id") for call in calls]
    return problems + [f"pairing: entry {len(entries)}: call {id!r} has no result" for id in waiting]


def check_pi(entries: Sequence[Any]) -> list[str]:
    """Problems of pi session entries: results answer the last assistant message; other roles do not matter."""
    problems = repeated([(i, e["id"]) for i, e in enumerate(entries) if isinstance(e, dict) and e.get("id")])
    waiting: list[Any] = []
    for index, message in transcript_messages(entries, ("user", "assistant", "toolResult")):
        if message["role"] == "toolResult":
            problems += answer(index, message.get("toolCallId"), waiting)
        elif message["role"] == "assistant":
            problems += [f"pairing: entry {index}: call {id!r} has no result before it" for id in waiting]
            calls = parts(message, "toolCall")
            problems += call_faults(index, [(c.get("id"), c.get("name"), c.get("arguments")) for c in calls], dict)
            waiting = [call.get("id") for call in calls]
        elif not message.get("content"):
            problems.append(f"content: entry {index}: empty content")
    return problems + [f"pairing: entry {len(entries)}: call {id!r} has no result" for id in waiting]


def check_codex(lines: Sequence[Any]) -> list[str]:
    """Problems of Codex rollout lines: as items of the Responses API, those that a compaction left among them."""
    items: list[Any] = []
    for line in lines:
        payload = line.get("payload", line)
        items += payload["replacement_history"] or [] if "replacement_history" in payload else [payload]
    # What a compaction says by its message alone is no item; a local shell's output is a function's.
    items = [item for item in items if "message" not in item]
    shells = {"type": "function_call", "name": "shell", "arguments": "{}"}
    items = [item | shells if item.get("type") == "local_shell_call" else item for item in items]
    return check_openai_responses(items) if items else []


def _anthropic_results(index: int, message: Any, expected: list[Any]) -> Iterator[str]:
    waiting = [*expected]
    other = False
    for part in message["content"] if isinstance(message["content"], list) else ():
        if not isinstance(part, dict) or part.get("type") != "tool_result":
            other = True
            continue
        if other:
            yield f"order: entry {index}: a result behind other content"
        if message["role"] != "user":
            yield f"role: entry {index}: a result from the assistant"
        yield from answer(index, part.get("tool_use_id"), waiting)
        if part.get("content") is not None and part.get("content") != "":
            yield from contents(index, part["content"])
    yield from (f"pairing: entry {index}: call {id!r} has no result here" for id in waiting)


def _anthropic_thinking(index: int, message: Any) -> Iterator[str]:
    """Thinking comes from the assistant, before its calls, and is never the last word."""
    content = message["content"] if isinstance(message["content"], list) else []
    kinds = [part.get("type") for part in content if isinstance(part, dict)]
    places = [at for at, kind in enumerate(kinds) if kind in THINKING]
    if places and message["role"] != "assistant":
        yield f"thinking: entry {index}: thinking from the user"
    if places and places[-1] == len(kinds) - 1:
        yield f"thinking: entry {index}: thinking is the last block"
    if places and "tool_use" in kinds[: places[-1]]:
        yield f"thinking: entry {index}: thinking behind a call"
    for part in content:
        if (
            isinstance(part, dict)
            and part.get("type") == "thinking"
            and not isinstance(part.get("signature"), str)
        ):
            yield f"thinking: entry {index}: thinking without a signature"


def _chat_ids(message: Any) -> list[Any]:
    ids = [call.get("id") for call in message.get("tool_calls") or [] if isinstance(call, dict)]
    return ids + ([message["function_call"].get("name")] if message.get("function_call") else [])


def _chat_assistant(index: int, message: Any) -> Iterator[str]:
    calls = message.get("tool_calls")
    if "tool_calls" in message and (not isinstance(calls, list) or not calls):
        yield f"shape: entry {index}: `tool_calls` is there and empty"
        return
    if message.get("content") is not None:
        yield from contents(index, message["content"] or ("-" if calls else ""))
    elif not any(message.get(key) for key in ("tool_calls", "function_call", "refusal", "audio")):
        yield f"content: entry {index}: an assistant message that says nothing"
    functions = [(call.get("id"), call.get("function") or {}) for call in calls or []]
    yield from call_faults(index, [(id, f.get("name"), f.get("arguments")) for id, f in functions], str)
    for _, function in functions:
        yield from json_arguments(index, function.get("arguments"))


def _responses_message(index: int, item: Any) -> Iterator[str]:
    role = item.get("role")
    if role not in ("system", "developer", "user", "assistant"):
        yield f"role: entry {index}: unknown role {role!r}"
    yield from contents(index, item.get("content"))
    wrong = "input_" if role == "assistant" else "output_"
    for part in item["content"] if isinstance(item.get("content"), list) else ():
        kind = part.get("type") if isinstance(part, dict) else None
        if isinstance(kind, str) and (
            kind.startswith(wrong) or not kind.startswith(("input_", "output_", "refusal"))
        ):
            yield f"content: entry {index}: {kind} in a message of role {role}"


def _from_model(items: Sequence[Any]) -> bool:
    """Whether the item is the model's own: a call, reasoning, or an assistant message."""
    if not items or not isinstance(items[0], dict):
        return False
    kind = items[0].get("type", "message")
    return items[0].get("role") == "assistant" if kind == "message" else not kind.endswith("_output")
