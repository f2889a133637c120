"""What the events of a Codex rollout say, as items: most of it stands in items of the same turn as well."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from prune_mcp.sessions.codex.lines import type_of
from prune_mcp.sessions.content import compact_json, parts
from prune_mcp.sessions.messages.wire import string
from prune_mcp.sessions.readable import strings_in

# Marks what a review found: the host also tells it to the model, in words of its own.
REVIEW = "review"
# Events that are told beside the entries: the ids of these go on from each other, and were given without them.
BESIDE = frozenset({"entered_review_mode", "EnteredReviewMode", "ExitedReviewMode"})
Item = dict[str, Any]
Event = dict[str, Any]


def items_of_event(event: Event) -> list[Item]:
    """What an event says, as items that stand nowhere: messages, reasoning, calls and their outputs."""
    event = _inner(event)
    told = _TOLD.get(type_of(event))
    return [item for item in told(event) if item] if told else []


def is_beside(event: Event) -> bool:
    """Whether an event is told beside the entries."""
    return type_of(_inner(event)) in BESIDE


def _inner(event: Event) -> Event:
    """The event, or the item that it tells of in the words of events."""
    if type_of(event) not in ("item_completed", "raw_response_item"):
        return event
    inner = event.get("item")
    return {**inner, "call_id": inner.get("call_id", inner.get("id"))} if isinstance(inner, dict) else {}


def _said(role: str, text: Any) -> Item:
    part = "output_text" if role == "assistant" else "input_text"
    return _message(role, [{"type": part, "text": text}]) if isinstance(text, str) and text else {}


def _message(role: str, content: Any) -> Item:
    return {"type": "message", "role": role, "content": content}


def _words(event: Event) -> list[Any]:
    """The texts of a list of parts, whatever case their type is written in."""
    return [part.get("text") for part in parts(event.get("content")) if isinstance(part, dict)]


def _user(event: Event) -> list[Item]:
    return [_said("user", "".join(map(string, _words(event))))]


def _assistant(event: Event) -> list[Item]:
    return [_said("assistant", text) for text in _words(event)]


def _thought(event: Event) -> list[Item]:
    texts = [event.get("text"), *parts(event.get("summary_text")), *parts(event.get("raw_content"))]
    said = [{"type": "summary_text", "text": text} for text in texts if isinstance(text, str) and text]
    return [{"type": "reasoning", "summary": said}] if said else []


def _command(event: Event) -> list[Item]:
    output = event.get("aggregated_output") or event.get("formatted_output")
    output = output or string(event.get("stdout")) + string(event.get("stderr"))
    code = event.get("exit_code")
    failed = code != 0 if type(code) is int else event.get("status") in ("failed", "declined")
    action = {"type": "exec", "command": event.get("command")}
    call = {"type": "local_shell_call", "call_id": event.get("call_id"), "action": action}
    return [call, _output(event, output, failed)]


def _patch(event: Event) -> list[Item]:
    output = string(event.get("stdout")) + string(event.get("stderr"))
    failed = event.get("success") is False or event.get("status") in ("failed", "declined")
    call = _call(event, "apply_patch", event.get("changes"))
    return [call, _output(event, output, failed)]


def _mcp(event: Event) -> list[Item]:
    invocation = event.get("invocation")
    asked = invocation if isinstance(invocation, dict) else event
    name = f"mcp__{string(asked.get('server'))}__{string(asked.get('tool'))}"
    result = event.get("result")
    result = result if isinstance(result, dict) else {}
    good = result.get("Ok", result)
    bad = result.get("Err", event.get("error"))
    if bad:
        bad = bad.get("message") if isinstance(bad, dict) else bad
        return [_call(event, name, asked.get("arguments")), _output(event, string(bad), True)]
    content = good.get("content") if isinstance(good, dict) else good
    failed = isinstance(good, dict) and (good.get("isError") is True or good.get("is_error") is True)
    return [_call(event, name, asked.get("arguments")), _output(event, content, failed)]


def _dynamic(event: Event) -> list[Item]:
    name = "__".join(filter(None, (string(event.get("namespace")), string(event.get("tool")))))
    content = [_plain_part(part) for part in parts(event.get("content_items"))]
    failed = event.get("success") is False
    return [
        _call(event, name, event.get("arguments")),
        _output(event, content or string(event.get("error")), failed),
    ]


def _plain_part(part: Any) -> Any:
    """A part whose type is written `inputText`, as items write it."""
    if type_of(part) == "inputText":
        return {**part, "type": "input_text"}
    return part


def _search(event: Event) -> list[Item]:
    action = event.get("action") or ({"query": event["query"]} if event.get("query") else None)
    call = {"type": "web_search_call", "id": event.get("call_id"), "action": action}
    results = event.get("results")
    if not results:
        return [call]
    texts = [{"type": "input_text", "text": "\n".join(strings_in(result))} for result in parts(results)]
    return [call, {**_output(event, texts, False), "name": "web_search"}]


def _image(event: Event) -> list[Item]:
    return [{**event, "type": "image_generation_call", "id": event.get("call_id")}]


def _review(event: Event) -> list[Item]:
    review = event.get("review_output")
    if not isinstance(review, dict):
        return []
    found = [finding for finding in parts(review.get("findings")) if isinstance(finding, dict)]
    texts = [string(review.get("overall_explanation"))]
    texts += [f"{string(each.get('title'))}\n{string(each.get('body'))}" for each in found]
    said = _said("assistant", "\n\n".join(filter(str.strip, texts)))
    return [{**said, REVIEW: True}] if said else []


def _asked_review(event: Event) -> list[Item]:
    """What a review is to look at: in the person's own words, or as the host puts what they chose."""
    target, hint = event.get("target"), string(event.get("user_facing_hint"))
    own = string(target.get("instructions")) if isinstance(target, dict) else ""
    asked = string(event.get("prompt"))
    if asked and asked.strip() == hint.strip():
        own, asked = asked, ""
    if own.strip():
        return [_said("user", own)]
    return [_said("system", text) for text in dict.fromkeys((hint, asked))]


def _goal(event: Event) -> list[Item]:
    goal = event.get("goal")
    return [_said("user", goal.get("objective"))] if isinstance(goal, dict) else []


def _call(event: Event, name: str, arguments: Any) -> Item:
    recorded = arguments if isinstance(arguments, str) else compact_json(arguments)
    return {"type": "function_call", "call_id": event.get("call_id"), "name": name, "arguments": recorded}


def _output(event: Event, content: Any, failed: bool) -> Item:
    output = {"content": content, "success": not failed}
    return {"type": "function_call_output", "call_id": event.get("call_id"), "output": output}


_TOLD: dict[str, Callable[[Event], list[Item]]] = {
    "user_message": lambda event: [_said("user", event.get("message"))],
    "agent_message": lambda event: [_said("assistant", event.get("message"))],
    "task_complete": lambda event: [_said("assistant", event.get("last_agent_message"))],
    "turn_complete": lambda event: [_said("assistant", event.get("last_agent_message"))],
    "error": lambda event: [_said("system", event.get("message"))],
    "agent_reasoning": _thought,
    "agent_reasoning_raw_content": _thought,
    "exec_command_end": _command,
    "patch_apply_end": _patch,
    "mcp_tool_call_end": _mcp,
    "dynamic_tool_call_response": _dynamic,
    "web_search_end": _search,
    "image_generation_end": _image,
    "entered_review_mode": _asked_review,
    "exited_review_mode": _review,
    "thread_goal_updated": _goal,
    "UserMessage": _user,
    "AgentMessage": _assistant,
    "Plan": lambda event: [_said("assistant", event.get("text"))],
    "Reasoning": _thought,
    "CommandExecution": _command,
    "FileChange": _patch,
    "McpToolCall": _mcp,
    "DynamicToolCall": _dynamic,
    "EnteredReviewMode": _asked_review,
    "ExitedReviewMode": _review,
    "WebSearch": _search,
    "Extension": _search,
    "ImageGeneration": _image,
}
