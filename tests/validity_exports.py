"""Whether messages of an exported conversation or a trajectory hang together: strict checks over raw JSON.

Independent of the product, as `tests/validity.py` is, with the same form of problem.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import Any

from tests.validity import check_openai_chat
from tests.validity_rules import repeated

FENCED = re.compile(r"```(?:bash|mswea_bash_command)\s*\n.*?\n```", re.DOTALL)


def check_claude_ai(messages: Sequence[Any]) -> list[str]:
    """Problems of claude.ai messages: each continues the one before, says something, and answers its own calls."""
    problems = repeated([(at, message["uuid"]) for at, message in enumerate(messages)])
    for at, message in enumerate(messages):
        if at and message.get("parent_message_uuid") not in (None, messages[at - 1]["uuid"]):
            problems.append(f"order: entry {at}: does not continue the message before it")
        if message.get("sender") not in ("human", "assistant"):
            problems.append(f"role: entry {at}: unknown sender {message.get('sender')!r}")
        content = message.get("content")
        if not (content or message.get("text") or message.get("attachments")):
            problems.append(f"content: entry {at}: says nothing")
        open_calls: list[Any] = []
        for block in content or ():
            if block["type"] == "tool_use":
                open_calls.append(block["name"])
            elif block["type"] == "tool_result" and block["name"] in open_calls:
                open_calls.remove(block["name"])
            elif block["type"] == "tool_result":
                problems.append(f"pairing: entry {at}: a result of {block['name']!r} without its call")
    return problems


def check_chatgpt(nodes: Sequence[Any]) -> list[str]:
    """Problems of ChatGPT nodes: each continues the one before, says something, and stands behind its call."""
    problems = repeated([(at, node["id"]) for at, node in enumerate(nodes)])
    sent_to = ""
    for at, node in enumerate(nodes):
        if at and node["parent"] != nodes[at - 1]["id"]:
            problems.append(f"order: entry {at}: does not continue the node before it")
        message = node["message"]
        role, content = message["author"]["role"], message["content"]
        if role not in ("system", "user", "assistant", "tool"):
            problems.append(f"role: entry {at}: unknown author {role!r}")
        if not any(content.get(key) for key in ("parts", "text", "thoughts", "result", "content")):
            problems.append(f"content: entry {at}: says nothing")
        if role != "tool":
            sent_to = message["recipient"]
        elif sent_to == "all":
            problems.append(f"pairing: entry {at}: an output of {message['author']['name']!r} without its call")
    return problems


def check_mini_swe(messages: Sequence[Any]) -> list[str]:
    """Problems of mini-swe-agent messages: as OpenAI Chat, and one command in a text has the user's next word."""
    problems = check_openai_chat([_plain(message) for message in messages])
    for at, message in enumerate(messages):
        text = message.get("content")
        commands = FENCED.findall(text) if isinstance(text, str) and message["role"] == "assistant" else []
        problems += [f"pairing: entry {at}: no output follows"] * (
            len(commands) == 1 and not _told(messages, at + 1)
        )
    return problems


def check_swe_agent(messages: Sequence[Any]) -> list[str]:
    """Problems of SWE-agent messages: as OpenAI Chat, and each action has its observation."""
    problems = check_openai_chat([_plain(message) for message in messages])
    for at, message in enumerate(messages):
        acts = message["role"] == "assistant" and message.get("action") and not message.get("tool_calls")
        problems += [f"pairing: entry {at}: no observation follows"] * (bool(acts) and not _told(messages, at + 1))
        if acts and message["action"].strip() not in message["content"]:
            problems.append(f"arguments: entry {at}: the action is not the one in the text")
    return problems


CHECKS = {
    "claude.ai": check_claude_ai,
    "chatgpt": check_chatgpt,
    "mini-swe-agent": check_mini_swe,
    "swe-agent": check_swe_agent,
}


def _told(messages: Sequence[Any], at: int) -> bool:
    return at < len(messages) and messages[at]["role"] in ("user", "exit")


def _plain(message: dict[str, Any]) -> dict[str, Any]:
    """The message as OpenAI Chat has it: agents add fields, and name the call and the end in their own way."""
    plain: dict[str, Any] = {key: message[key] for key in ("role", "content", "tool_call_id") if key in message}
    if message.get("tool_calls"):
        plain["tool_calls"] = message["tool_calls"]
    if ids := message.get("tool_call_ids"):
        plain["tool_call_id"] = ids[0]
    return plain | ({"role": "user"} if message["role"] == "exit" else {})


def added_faults(format: str, raw: Sequence[Any], pruned: Sequence[Any]) -> Iterator[str]:
    """The problems of a view that the raw messages have not, wherever they stand."""
    known = [re.sub(r"entry \d+: ", "", fault) for fault in CHECKS[format](raw)]
    for fault in CHECKS[format](pruned):
        if (bare := re.sub(r"entry \d+: ", "", fault)) in known:
            known.remove(bare)
        else:
            yield fault
