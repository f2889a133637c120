"""Trajectories of SWE-agent: thought and action in one text, or native calls; demonstrations stand among them."""

from __future__ import annotations

from typing import Any

from prune_mcp.sessions.content import string
from prune_mcp.sessions.exports.parts import Part
from prune_mcp.sessions.model import Role
from prune_mcp.sessions.trajectories.content import Span, Turn, heard, native_calls, one_text, split_text, thoughts
from prune_mcp.sessions.trajectories.trajectory import Trajectory

SHELL = "bash"
# The agent's own commands; any other is the shell's.
COMMANDS = frozenset(
    {
        "open", "goto", "scroll_up", "scroll_down", "create", "edit", "insert", "search_dir", "search_file",
        "find_file", "submit", "str_replace_editor", "exit_cost", "exit_context", "exit_format", "exit_error",
        "exit_forfeit", "debug_start", "connect_start", "decompile", "disassemble", "view_image", "filemap",
    }
)  # fmt: skip
ROLES: dict[str, Role] = {"system": "system", "assistant": "assistant"}
FENCE = "```"


class SweAgent(Trajectory):
    """A run of SWE-agent. The last observation, which its history may leave out, is read from the last step."""

    format = "swe-agent"
    host = "swe-agent"

    def _messages(self, value: dict[str, Any]) -> list[Any]:
        history, steps = value.get("history"), value.get("trajectory")
        messages = history if isinstance(history, list) else []
        last = steps[-1] if isinstance(steps, list) and steps else None
        observed = last.get("observation") if isinstance(last, dict) else None
        if not (messages and isinstance(messages[-1], dict) and isinstance(observed, str) and observed):
            return messages
        open_call = messages[-1].get("role") == "assistant" and not messages[-1].get("is_demo")
        return [*messages, _observation(messages[-1], observed)] if open_call else messages

    def _turn(self, raw: dict[str, Any]) -> Turn:
        role = ROLES.get(string(raw.get("role")), "user")
        demo = raw.get("is_demo") is True
        if role == "assistant":
            return Turn(role, [*thoughts(raw), *self._acted(raw)], raw.get("timestamp"), demo=demo)
        ids = raw.get("tool_call_ids")
        answers = str(ids[0]) if isinstance(ids, list) and ids else ""
        return Turn(role, heard(raw.get("content")), raw.get("timestamp"), answers, demo=demo)

    def _acted(self, raw: dict[str, Any]) -> list[Part]:
        if calls := list(native_calls(raw)):
            return [*(heard(raw["content"]) if raw.get("content") else []), *calls]
        found = one_text(raw.get("content"))
        span = self._span(raw, found[0]) if found else None
        if found and span:
            return split_text(*found, span, _tool(found[0][span.start : span.end]))
        said = heard(raw["content"]) if raw.get("content") else []
        action = _action(raw)
        return [*said, Part("call", {"command": action}, ("action",), "", _tool(action))] if action else said

    def _span(self, raw: dict[str, Any], text: str) -> Span | None:
        action = _action(raw)
        at = text.rfind(action) if action and not raw.get("tool_calls") else -1
        if at < 0:
            return None
        end = at + len(action)
        before, after = text[:at].rstrip(), text[end:].lstrip()
        if not (before.endswith(FENCE) and after.startswith(FENCE)):
            return Span(at, at, end, end)
        return Span(len(before) - len(FENCE), at, end, len(text) - len(after) + len(FENCE))


def _action(raw: dict[str, Any]) -> str:
    return string(raw.get("action")).strip()


def _tool(action: str) -> str:
    name = action.split(None, 1)[0] if action.strip() else ""
    return name if name in COMMANDS else SHELL


def _observation(call: dict[str, Any], observed: str) -> dict[str, Any]:
    """An observation as the history writes it."""
    raw = {"role": "user", "content": observed, "agent": call.get("agent"), "message_type": "observation"}
    calls = call.get("tool_calls")
    ids = [each.get("id") for each in calls if isinstance(each, dict)] if isinstance(calls, list) else []
    return raw | {"role": "tool", "tool_call_ids": ids} if ids else raw
