"""What can be brought in: whose conversation a JSON value is, its id, and when it last changed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from prune_mcp.sessions.exports.identity import made_id, plain_id, trajectory_id
from prune_mcp.sessions.model import SessionError
from prune_mcp.sessions.times import seconds

IMPORTABLE = (
    "the data export of claude.ai or ChatGPT (the zip, its conversations.json or conversations-000.json, or the"
    " folder it was unpacked to), a trajectory of mini-swe-agent (.traj.json) or SWE-agent (.traj), a session"
    " exported by opencode, or a folder of these"
)


@dataclass(slots=True)
class Kept:
    """A conversation to be kept: its host, and its id (a plain file name).

    `updated`: seconds since the epoch, 0.0 unknown. `flaw`: what of it could not be read, "" for nothing.
    """

    host: str
    id: str
    updated: float = 0.0
    flaw: str = ""


class Unusable(SessionError):
    """A value that should be a conversation and cannot be read as one; the message says why."""


class Unknown(Unusable):
    """A value that is no conversation at all, as far as we know; the message says what was seen."""


def kept_as(value: Any, name: str) -> Kept:
    """How a value is kept; `name` is that of its file, without ending.

    Raises:
        Unusable: it cannot be brought in.
    """
    if not isinstance(value, dict):
        raise Unknown(f"is {_shown(value)}, not an object")
    for key, read in KINDS.items():
        if key in value and (kept := read(value, name)):
            return kept
    keys = ", ".join(map(str, list(value)[:8])) or "none"
    raise Unknown(f"is no conversation of a known kind (its keys: {keys})")


def _claude_ai(value: dict[str, Any], name: str) -> Kept:
    messages = _listed(value, "chat_messages")
    id = plain_id(value, "uuid", "conversation_id", "id")
    id = id or made_id("claude.ai", value.get("name"), value.get("created_at"), messages[:1])
    return _dated(Kept("claude.ai", id), value, "updated_at", "created_at")


def _project(value: dict[str, Any], name: str) -> Kept | None:
    if "uuid" not in value:
        return None
    _listed(value, "docs")
    id = plain_id(value, "uuid") or made_id("project", value.get("name"), value.get("created_at"))
    return _dated(Kept("claude.ai", id), value, "updated_at", "created_at")


def _memories(value: dict[str, Any], name: str) -> Kept:
    return Kept("claude.ai", f"memories-{plain_id(value, 'account_uuid') or made_id('memories')}")


def _chatgpt(value: dict[str, Any], name: str) -> Kept:
    mapping = value["mapping"]
    if not isinstance(mapping, dict):
        raise Unusable(f"its `mapping` is {_shown(mapping)}, so it holds no messages")
    id = plain_id(value, "conversation_id", "id")
    id = id or made_id("chatgpt", value.get("title"), value.get("create_time"), list(mapping)[:2])
    return _dated(Kept("chatgpt", id), value, "update_time", "create_time")


def _swe_agent(value: dict[str, Any], name: str) -> Kept | None:
    if not ("trajectory" in value or "info" in value):
        return None
    return Kept("swe-agent", trajectory_id(name, _listed(value, "history")))


def _messages(value: dict[str, Any], name: str) -> Kept | None:
    info = value.get("info")
    if not isinstance(info, dict):
        return None
    if isinstance(info.get("id"), str) and "exit_status" not in info:
        return Kept("opencode", plain_id(info, "id"))
    task = value.get("instance_id")
    name = task if isinstance(task, str) else name
    return Kept("mini-swe-agent", trajectory_id(name, _listed(value, "messages")))


KINDS: dict[str, Callable[[dict[str, Any], str], Kept | None]] = {
    "chat_messages": _claude_ai,
    "mapping": _chatgpt,
    "history": _swe_agent,
    "messages": _messages,
    "docs": _project,
    "prompt_template": _project,
    "conversations_memory": _memories,
    "project_memories": _memories,
}


def _listed(value: dict[str, Any], key: str) -> list[Any]:
    found = value.get(key, [])
    if not isinstance(found, list):
        raise Unusable(f"its `{key}` is {_shown(found)}, not a list")
    return found


def _shown(value: Any) -> str:
    names = {type(None): "null", bool: "true or false", str: "a text", list: "a list", dict: "an object"}
    return names.get(type(value), "a number")


def _dated(kept: Kept, value: dict[str, Any], *keys: str) -> Kept:
    """With the time of the first of these keys that tells one, and a flaw for each that should and does not."""
    wrong = []
    for key in keys:
        if not value.get(key):
            continue
        if told := seconds_of(value[key]):
            kept.updated = kept.updated or told
        else:
            wrong.append(f"its `{key}` is no time: {str(value[key])[:40]!r}")
    kept.flaw = "; ".join(wrong)
    return kept


def seconds_of(time: Any) -> float:
    """Seconds since the epoch of a time as exports have it: a number, or ISO 8601 (UTC where it names no zone).

    0.0 for anything else.
    """
    if isinstance(time, int | float) and not isinstance(time, bool):
        return float(time) if 0 < time < 1e11 else 0.0
    return max(0.0, seconds(time))
