"""Whether records of hosts that keep calls with their results would be taken by them: strict checks over JSON.

Independent of the product, as `validity` is; problems read the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tests.validity_rules import answer, call_faults, repeated

GEMINI_TYPES = ("user", "gemini", "info", "warning", "error")
ENDINGS = {"completed": "output", "error": "error"}


def check_gemini(messages: Sequence[Any]) -> list[str]:
    """Problems of Gemini CLI messages: each call has its result beside it, or in the user message that follows."""
    problems = repeated([(at, m["id"]) for at, m in enumerate(messages) if isinstance(m, dict) and m.get("id")])
    waiting: list[Any] = []
    for at, message in enumerate(messages):
        if not isinstance(message, dict) or not isinstance(message.get("id"), str):
            problems.append(f"shape: entry {at}: no message with an id")
            continue
        if message.get("type") not in GEMINI_TYPES:
            problems.append(f"role: entry {at}: unknown type {message.get('type')!r}")
        parts = message.get("content")
        parts = [parts] if isinstance(parts, str | dict) else parts
        if not isinstance(parts, list):
            problems.append(f"content: entry {at}: {type(parts).__name__} is no content")
            continue
        calls = message.get("toolCalls") or []
        if not any(map(_says, parts)) and not calls:
            problems.append(f"content: entry {at}: says nothing")
        responses = [p["functionResponse"] for p in parts if isinstance(p, dict) and "functionResponse" in p]
        for response in responses:
            problems += answer(at, response.get("id"), waiting)
        if message.get("type") == "gemini":
            problems += [f"pairing: entry {at}: call {id!r} has no result before it" for id in waiting]
            asked = [p["functionCall"] for p in parts if isinstance(p, dict) and "functionCall" in p]
            problems += call_faults(at, [(c.get("id"), c.get("name"), c.get("args")) for c in asked], dict)
            problems += _gemini_calls(at, calls)
            beside = [call.get("id") for call in calls]
            waiting = [call.get("id") for call in asked if call.get("id") not in beside]
        elif responses and message.get("type") != "user":
            problems.append(f"role: entry {at}: results from {message.get('type')}")
    return problems + [f"pairing: entry {len(messages)}: call {id!r} has no result" for id in waiting]


def check_opencode(messages: Sequence[Any]) -> list[str]:
    """Problems of opencode messages: parts belong to their message, answers to a prompt, calls are done."""
    problems: list[str] = []
    ids: list[tuple[int, Any]] = []
    asked: list[Any] = []
    for at, message in enumerate(messages):
        if not isinstance(message, dict) or not isinstance(message.get("info"), dict):
            problems.append(f"shape: entry {at}: no message with parts")
            continue
        info, parts = message["info"], message.get("parts")
        ids.append((at, info.get("id")))
        if info.get("role") == "user":
            asked.append(info.get("id"))
        elif info.get("role") != "assistant":
            problems.append(f"role: entry {at}: unknown role {info.get('role')!r}")
        elif info.get("parentID") is not None and info["parentID"] not in asked:
            problems.append(f"order: entry {at}: answers {info['parentID']!r}, which is not there")
        if not isinstance(parts, list) or not parts:
            problems.append(f"content: entry {at}: no parts")
            continue
        ids += [(at, part.get("id")) for part in parts]
        for part in parts:
            if part.get("messageID") != info.get("id"):
                problems.append(f"shape: entry {at}: a part of {part.get('messageID')!r}")
            if part.get("type") == "text" and not isinstance(part.get("text"), str):
                problems.append(f"content: entry {at}: a text part without text")
        tools = [part for part in parts if part.get("type") == "tool"]
        problems += _tools(at, tools)
        if tools and info.get("role") == "user":
            problems.append(f"role: entry {at}: a call from the user")
    return problems + repeated(ids)


def _says(part: Any) -> bool:
    text = part.get("text", True) if isinstance(part, dict) else part
    return bool(text)


def _gemini_calls(at: int, calls: Sequence[Any]) -> Iterator[str]:
    yield from call_faults(at, [(c.get("id"), c.get("name"), c.get("args")) for c in calls], dict)
    for call in calls:
        result = call.get("result")
        if not result:
            yield f"pairing: entry {at}: call {call.get('id')!r} has no result"
        for part in result if isinstance(result, list) else ():
            response = part.get("functionResponse") if isinstance(part, dict) else None
            if response and (response.get("id"), response.get("name")) != (call.get("id"), call.get("name")):
                yield f"pairing: entry {at}: result {response.get('id')!r} stands at call {call.get('id')!r}"


def _tools(at: int, tools: Sequence[Any]) -> Iterator[str]:
    states = [tool.get("state") or {} for tool in tools]
    told = zip(tools, states, strict=True)
    yield from call_faults(at, [(t.get("callID"), t.get("tool"), state.get("input")) for t, state in told], dict)
    for tool, state in zip(tools, states, strict=True):
        said = ENDINGS.get(str(state.get("status")))
        if said is None:
            yield f"pairing: entry {at}: call {tool.get('callID')!r} has no result"
        elif not isinstance(state.get(said), str):
            yield f"content: entry {at}: the result of {tool.get('callID')!r} is no text"
