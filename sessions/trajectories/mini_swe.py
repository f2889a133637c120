"""Trajectories of mini-swe-agent, versions 1 and 2: commands in the text of an answer, or as native calls."""

from __future__ import annotations

import re
from typing import Any

from prune_mcp.sessions.content import string
from prune_mcp.sessions.exports.document import About
from prune_mcp.sessions.exports.parts import Part
from prune_mcp.sessions.messages.openai_fields import parsed
from prune_mcp.sessions.model import Role
from prune_mcp.sessions.trajectories.content import Span, Turn, heard, native_calls, one_text, split_text, thoughts
from prune_mcp.sessions.trajectories.trajectory import Trajectory

TOOL = "bash"
# The agent runs an answer's command only where the answer holds exactly one.
_ACTION = re.compile(r"```(?:bash|mswea_bash_command)\s*\n(.*?)\n```", re.DOTALL)
_RETURNCODE = re.compile(r"\s*<returncode>\s*(-?\d+)")
TIMED_OUT = "The last command <command>"
ROLES: dict[str, Role] = {"system": "system", "developer": "system", "assistant": "assistant"}
ITEMS = ("function_call", "message", "reasoning")


class MiniSwe(Trajectory):
    """A run of mini-swe-agent. Its end, the submission, is the output of the last command."""

    format = "mini-swe-agent"
    host = "mini-swe-agent"

    def _introduce(self, value: dict[str, Any]) -> About:
        info = value.get("info")
        config = info.get("config") if isinstance(info, dict) else None
        settings = config if isinstance(config, dict) else {}
        environment = settings.get("environment")
        if "Local" in str(settings.get("environment_type")) and isinstance(environment, dict):
            # A folder inside a container is none of this machine's.
            self.cwd = environment["cwd"] if isinstance(environment.get("cwd"), str) else ""
        return super()._introduce(value)

    def _task_name(self, value: dict[str, Any]) -> str:
        name = value.get("instance_id")
        return name if isinstance(name, str) and name else super()._task_name(value)

    def _messages(self, value: dict[str, Any]) -> list[Any]:
        messages = value.get("messages")
        return messages if isinstance(messages, list) else []

    def _turn(self, raw: dict[str, Any]) -> Turn:
        if isinstance(raw.get("output"), list):
            return Turn("assistant", _items(raw["output"]), _time(raw))
        if raw.get("type") == "function_call_output":
            answers = str(raw.get("call_id") or "")
            return Turn("user", heard(raw.get("output"), ("output",)), _time(raw), answers, _failed(raw, "output"))
        # What the person ran in the agent's place is a call like the agent's own.
        if ROLES.get(string(raw.get("role"))) == "assistant" or (raw.get("role") == "user" and _commands(raw)):
            return Turn("assistant", [*thoughts(raw), *self._answered(raw), *native_calls(raw)], _time(raw))
        role = ROLES.get(string(raw.get("role")), "user")
        answers = str(raw.get("tool_call_id") or "") if raw.get("role") == "tool" else ""
        ends = raw.get("role") == "exit"
        return Turn(role, heard(raw.get("content")), _time(raw), answers, _failed(raw, "content"), ends)

    def _answered(self, raw: dict[str, Any]) -> list[Part]:
        found = one_text(raw.get("content"))
        span = self._span(raw, found[0]) if found else None
        if found and span:
            return split_text(*found, span, TOOL)
        return heard(raw.get("content")) if raw.get("content") else []

    def _span(self, raw: dict[str, Any], text: str) -> Span | None:
        if raw.get("tool_calls"):
            return None
        if len(commands := _commands(raw)) == 1 and (at := text.rfind(commands[0])) >= 0:
            end = at + len(commands[0])
            fence = next((m for m in _ACTION.finditer(text) if m.start(1) <= at and end <= m.end(1)), None)
            return Span(fence.start() if fence else at, at, end, fence.end() if fence else end)
        actions = list(_ACTION.finditer(text))
        if len(actions) != 1:
            return None
        return Span(actions[0].start(), *actions[0].span(1), actions[0].end())


def _commands(raw: dict[str, Any]) -> list[str]:
    """The commands that the agent itself noted to have found in a message."""
    extra = raw.get("extra")
    actions = extra.get("actions") if isinstance(extra, dict) else None
    listed = actions if isinstance(actions, list) else []
    found = [action.get("command") for action in listed if isinstance(action, dict)]
    return [command for command in found if isinstance(command, str) and command]


def _items(output: list[Any]) -> list[Part]:
    """The parts of an answer of the Responses API."""
    parts = []
    for at, item in enumerate(output):
        kind = item.get("type") if isinstance(item, dict) else None
        if kind == "function_call":
            id, name = str(item.get("call_id") or item.get("id") or ""), str(item.get("name") or TOOL)
            parts.append(Part("call", parsed(item.get("arguments")), ("output", at), id, name))
        elif kind == "reasoning":
            parts.append(Part("thinking", item.get("summary"), ("output", at)))
        elif kind == "message":
            parts.append(Part("text", item.get("content"), ("output", at)))
    return parts


def _failed(raw: dict[str, Any], key: str) -> bool:
    extra = raw.get("extra")
    code = extra.get("returncode") if isinstance(extra, dict) else None
    if isinstance(code, int):
        return code != 0
    found = one_text(raw.get(key)) if key == "content" else (str(raw.get(key)), ())
    text = found[0] if found else ""
    told = _RETURNCODE.match(text)
    return bool(told and int(told[1])) or text.startswith(TIMED_OUT)


def _time(raw: dict[str, Any]) -> Any:
    extra = raw.get("extra")
    extra = extra if isinstance(extra, dict) else {}
    response = extra.get("response")
    created = response.get("created") if isinstance(response, dict) else None
    return raw.get("timestamp") or extra.get("timestamp") or created or raw.get("created_at")
