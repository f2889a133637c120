"""The lines of a Codex rollout: each with a payload, or, as they were before September 2025, bare items."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, NamedTuple

# Lines that hold a payload. A line of another type is none we know, and is passed over.
KINDS = frozenset(
    {
        "session_meta", "response_item", "event_msg", "turn_context", "compacted", "inter_agent_communication",
        "inter_agent_communication_metadata", "world_state", "security_risk_score", "token_usage_record",
        "realtime_item", "ghost_snapshot",
    }
)  # fmt: skip
# Items as they stand bare in old rollouts; a message tells its role beside its type.
BARE = frozenset({"reasoning", "function_call", "function_call_output", "local_shell_call", "custom_tool_call"})
# More than this is no time in seconds: it counts milliseconds.
LATEST_SECOND = 1e11


class Line(NamedTuple):
    """A line: its type, what it holds, and its time as ISO 8601 where it tells one. `bare`: of the old form."""

    kind: str
    payload: dict[str, Any]
    time: str | None = None
    bare: bool = False


def line_of(raw: dict[str, Any]) -> Line | None:
    """The line that an object of a rollout is, or None for one that holds nothing."""
    kind, payload = raw.get("type"), raw.get("payload")
    if type(payload) is dict:
        return Line(kind, payload, moment(raw.get("timestamp"))) if type(kind) is str else None
    if _is_header(raw):
        return Line("session_meta", raw, moment(raw.get("timestamp")), bare=True)
    if type(kind) is str and kind not in KINDS and "record_type" not in raw:
        return Line("response_item", raw, moment(raw.get("timestamp")), bare=True)
    return None


def type_of(value: Any) -> str:
    """The type that an object tells, "" where that is none."""
    kind = value.get("type") if isinstance(value, dict) else None
    return kind if type(kind) is str else ""


def with_payload(raw: dict[str, Any], payload: dict[str, Any]) -> dict[str, Any]:
    """The line with another payload in the place of its own."""
    return {**raw, "payload": payload} if type(raw.get("payload")) is dict else payload


def is_line(raw: dict[str, Any]) -> bool:
    """Whether an object can only be a line of a rollout."""
    kind = type_of(raw)
    if type(raw.get("payload")) is dict:
        return kind in KINDS
    if kind == "message":
        return raw.get("role") in ("user", "assistant", "developer", "system") and "content" in raw
    return kind in BARE or raw.get("record_type") == "state" or _is_header(raw)


def moment(time: Any) -> str | None:
    """A time as ISO 8601: lines tell it so, or in seconds or milliseconds since the epoch."""
    if type(time) is str:
        return time
    if type(time) is not int and type(time) is not float:
        return None
    try:
        return datetime.fromtimestamp(time / 1000 if time > LATEST_SECOND else time, UTC).isoformat()
    except (ValueError, OverflowError, OSError):
        return None


def _is_header(raw: dict[str, Any]) -> bool:
    """Whether this is the first line of an old rollout."""
    named = type(raw.get("id")) is str and "timestamp" in raw and "type" not in raw
    return named and ("instructions" in raw or "git" in raw)
