"""The sessions that the benchmarks measure, each as one valid Anthropic Messages array.

These readers are the benchmarks' own: a measure must not lean on the code that it measures. Thinking is
left out, responses that a host split over several lines are one message, and each call has its result.
"""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

Message = dict[str, Any]
Block = dict[str, Any]

MIN_RESULTS = 40
VARIABLE = "PRUNE_MCP_TEST_SESSIONS"
FENCED_COMMAND = re.compile(r"```(?:bash|sh)?\n(.*?)\n```", re.DOTALL)


@dataclass(frozen=True)
class Session:
    """One session: a name for tables (no path of this machine), the host, and its messages."""

    name: str
    host: str
    messages: list[Message]


def session_folder(argument: str | None) -> Path:
    """The folder of sessions: the argument, else the environment variable.

    Raises:
        SystemExit: neither names a folder.
    """
    folder = argument or os.environ.get(VARIABLE, "")
    if not folder or not Path(folder).is_dir():
        raise SystemExit(f"No folder of sessions: name one, or set {VARIABLE} (now: {folder or 'unset'}).")
    return Path(folder)


def transcripts(folder: Path) -> list[Path]:
    """Claude Code and pi transcripts under `folder`, by path; subagents left out."""
    found = [*folder.rglob(".claude/projects/*/*.jsonl"), *folder.rglob(".pi/agent/sessions/*/*.jsonl")]
    return sorted(path for path in found if not path.name.startswith("agent-"))


def agent_sessions(folder: Path) -> list[Session]:
    """The Claude Code and pi sessions with at least 40 tool results."""
    read = (_session(path) for path in transcripts(folder))
    return [session for session in read if count_results(session.messages) >= MIN_RESULTS]


def trajectories(folder: Path) -> list[Session]:
    """The mini-swe-agent trajectories, whatever their length."""
    paths = sorted(folder.rglob("mini-swe-agent/*.traj.json"))
    return [Session(path.name.split(".")[0], "mini-swe-agent", trajectory(path)) for path in paths]


def _session(path: Path) -> Session:
    if ".pi" in path.parts:
        return Session(path.stem[-8:], "pi", pi(path))
    return Session(path.stem[:8], "claude-code", claude_code(path))


def count_results(messages: list[Message]) -> int:
    """How many tool results the messages hold."""
    return sum(block.get("type") == "tool_result" for message in messages for block in blocks_of(message))


def blocks_of(message: Message) -> list[Block]:
    """The content of a message as blocks."""
    content = message.get("content") or []
    return [{"type": "text", "text": content}] if isinstance(content, str) else content


def _objects(path: Path) -> Iterator[dict[str, Any]]:
    with path.open("rb") as lines:
        for line in lines:
            try:
                value = json.loads(line)
            except ValueError:
                continue
            if isinstance(value, dict):
                yield value


def claude_code(path: Path) -> list[Message]:
    """A Claude Code transcript's main conversation, compacted parts included."""
    return valid_array(_claude_messages(path))


def _claude_messages(path: Path) -> Iterator[Message]:
    seen: set[object] = set()
    for entry in _objects(path):
        kind, uuid = entry.get("type"), entry.get("uuid")
        if kind not in ("user", "assistant") or entry.get("isMeta") or entry.get("isSidechain") or uuid in seen:
            continue
        seen.add(uuid)
        message = entry.get("message") or {}
        content = message.get("content") or []
        if isinstance(content, str):
            content = [{"type": "text", "text": content}]
        kept = ("text", "tool_use", "tool_result")
        blocks = [block for block in content if isinstance(block, dict) and block.get("type") in kept]
        yield {"role": message.get("role") or kind, "content": blocks}


def pi(path: Path) -> list[Message]:
    """A pi session's conversation."""
    entries = (entry["message"] for entry in _objects(path) if entry.get("type") == "message")
    return valid_array(filter(None, map(_pi_message, entries)))


def _pi_message(message: dict[str, Any]) -> Message | None:
    content = message.get("content") or []
    parts = [{"type": "text", "text": content}] if isinstance(content, str) else content
    texts = [{"type": "text", "text": part.get("text", "")} for part in parts if part.get("type") == "text"]
    match message.get("role"):
        case "user":
            return {"role": "user", "content": texts}
        case "assistant":
            blocks = [_pi_block(part) for part in parts if part.get("type") in ("text", "toolCall")]
            return {"role": "assistant", "content": blocks}
        case "toolResult":
            text = "\n".join(part["text"] for part in texts)
            return {
                "role": "user",
                "content": [_result(message["toolCallId"], text, bool(message.get("isError")))],
            }
    return None


def _pi_block(part: dict[str, Any]) -> Block:
    if part["type"] == "text":
        return {"type": "text", "text": part["text"]}
    return {"type": "tool_use", "id": part["id"], "name": part["name"], "input": part.get("arguments") or {}}


def _result(call: str, text: str, error: bool = False) -> Block:
    return {"type": "tool_result", "tool_use_id": call, "content": text, "is_error": error}


def trajectory(path: Path) -> list[Message]:
    """A mini-swe-agent trajectory: each fenced command becomes a call, what follows it the result."""
    data = json.loads(path.read_bytes())
    messages: list[Message] = []
    call = ""
    for number, message in enumerate(data["messages"]):
        role, text = message["role"], message["content"]
        if role == "assistant":
            call = f"call_{number}"
            messages.append({"role": role, "content": _fenced(text, call)})
        elif call:
            messages.append({"role": "user", "content": [_result(call, text)]})
            call = ""
        else:
            messages.append({"role": "user", "content": [{"type": "text", "text": text}]})
    return valid_array(messages)


def _fenced(text: str, call: str) -> list[Block]:
    found = FENCED_COMMAND.search(text)
    if found is None:
        return [{"type": "text", "text": text}]
    prose = {"type": "text", "text": text[: found.start()].strip()}
    return [prose, {"type": "tool_use", "id": call, "name": "bash", "input": {"command": found.group(1)}}]


def valid_array(messages: Iterable[Message]) -> list[Message]:
    """Alternating roles from a user message on, each call with its result in the next message, none twice."""
    merged = _merged({**m, "content": [b for b in m["content"] if b.get("type") != "text" or b.get("text")]}
                     for m in messages)  # fmt: skip
    paired = [{**m, "content": _paired(m, merged[i - 1 : i], merged[i + 1 : i + 2])} for i, m in enumerate(merged)]
    alternating = _merged(paired)
    start = next((i for i, m in enumerate(alternating) if m["role"] == "user"), len(alternating))
    return alternating[start:]


def _merged(messages: Iterable[Message]) -> list[Message]:
    merged: list[Message] = []
    for message in messages:
        if not message["content"]:
            continue
        if merged and merged[-1]["role"] == message["role"]:
            merged[-1]["content"].extend(message["content"])
        else:
            merged.append({"role": message["role"], "content": list(message["content"])})
    return merged


def _paired(message: Message, before: list[Message], after: list[Message]) -> list[Block]:
    answered = {b.get("tool_use_id") for m in after for b in m["content"] if b["type"] == "tool_result"}
    open_calls = {b["id"] for m in before for b in m["content"] if b["type"] == "tool_use"}
    kept = []
    for block in message["content"]:
        if block["type"] == "tool_use" and block["id"] not in answered:
            continue
        if block["type"] == "tool_result":
            if block["tool_use_id"] not in open_calls:
                continue
            open_calls.discard(block["tool_use_id"])
        kept.append(block)
    return kept
