"""The header of a Codex rollout: whose session it is, where it was started, and what it came from."""

from __future__ import annotations

from typing import Any, NamedTuple

from prune_mcp.sessions.codex.lines import Line
from prune_mcp.sessions.messages.wire import string


class Header(NamedTuple):
    """What a header tells. `parent`: the session that asked for it or that it was `forked` from. `base`: the
    beginning of another rollout that it goes on from without repeating it. `time`: when it began, as ISO 8601."""

    session: str
    cwd: str = ""
    parent: str = ""
    forked: str = ""
    subagent: bool = False
    base: dict[str, Any] | None = None
    time: str | None = None

    @property
    def seed(self) -> str:
        """What sets the ids of its entries apart: it may begin as a rollout does that it only goes on from."""
        return "" if self.base is None else self.session


def header_of(line: Line) -> Header | None:
    """The header that a line is, or None for one without the session's id."""
    payload = line.payload
    session = payload.get("id")
    if not isinstance(session, str) or not session:
        return None
    spawned = _spawned(payload.get("source"))
    asked = spawned is not None or payload.get("thread_source") == "subagent"
    spawned = spawned or {}
    forked = string(payload.get("forked_from_id"))
    above = (string(payload.get("parent_thread_id")), string(spawned.get("parent_thread_id")), forked)
    parent = next((id for id in above if id and id != session), "")
    base = payload.get("history_base")
    base = base if isinstance(base, dict) else None
    return Header(session, string(payload.get("cwd")), parent, forked, asked, base, line.time)


def _spawned(source: Any) -> dict[str, Any] | None:
    """What the source of a subagent's session says of who asked for it; None for any other session."""
    agent = source.get("subagent", source.get("subAgent")) if isinstance(source, dict) else None
    if agent is None:
        return None
    spawn = agent.get("thread_spawn") if isinstance(agent, dict) else None
    return spawn if isinstance(spawn, dict) else {}
