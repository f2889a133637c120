"""How a view's edits look in the messages of a trajectory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from prune_mcp.sessions.document_rendering import Edits, Raw
from prune_mcp.sessions.exports.parts import Key, Part
from prune_mcp.sessions.messages.openai_fields import dumped
from prune_mcp.sessions.messages.wire import EMPTIED, replaced
from prune_mcp.sessions.model import Place
from prune_mcp.sessions.trajectories.content import Span, Turn, argument_text, one_text
from prune_mcp.sessions.view import View


class TrajectoryEdits(Edits):
    """A command in a text is replaced within it; messages have no ids, and nothing links them."""

    def __init__(self, turn: Callable[[Raw], Turn], span: Callable[[Raw, str], Span | None]) -> None:
        self._turn = turn
        self._span = span

    def id(self, raw: Raw) -> str:
        """See `Edits.id`; what a text was put behind tells two equal ones apart."""
        return f"{raw.get('role')} {raw.get('content')}"[:200]

    def edit(self, raw: Raw, shares: dict[int, int], dropped: set[int], view: View) -> Raw | None:
        """See `Edits.edit`."""
        if dropped:
            return None
        made, gone = dict(raw), set()
        parts = self._turn(raw).parts
        for at, part in enumerate(parts):
            place = Place(shares[0], at)
            if place in view.texts:
                made[str(part.key[0])] = replaced(part.value, view.texts[place], "text")
            elif place in view.arguments:
                made = self._with_arguments(made, part, view.arguments[place])
            elif place in view.notes:
                made = _told(made, part, view.notes[place])
            elif place in view.stripped:
                gone.add(part.key)
        left = [part for part in parts if part.key not in gone]
        return _without(made, gone) if left else None

    def synthetic(self, text: str, pattern: Raw, digest: str) -> Raw:
        """See `Edits.synthetic`."""
        agent = {"agent": pattern["agent"]} if "agent" in pattern else {}
        return {"role": "user", "content": text} | agent

    def _with_arguments(self, raw: Raw, part: Part, value: Any) -> Raw:
        field, *way = part.key
        if field == "content":
            return self._with_command(raw, _command(value))
        if field == "action":
            return {**raw, "action": _command(value)}
        items = list(raw[str(field)])
        items[int(way[0])] = _call_with(items[int(way[0])], value)
        return {**raw, str(field): items}

    def _with_command(self, raw: Raw, command: str) -> Raw:
        found = one_text(raw["content"])
        span = self._span(raw, found[0]) if found else None
        if found is None or span is None:
            return raw
        text = found[0][: span.start] + command + found[0][span.end :]
        content = text if isinstance(raw["content"], str) else [{**raw["content"][0], "text": text}]
        made = {**raw, "content": content}
        return made | ({"action": command} if "action" in raw else {})


def _command(value: Any) -> str:
    command = value.get("command") if isinstance(value, dict) else None
    return command if isinstance(command, str) else argument_text(value)


def _call_with(call: Any, value: Any) -> Any:
    if isinstance(call.get("function"), dict):
        body = call["function"]
        return {**call, "function": {**body, "arguments": dumped(body.get("arguments"), value)}}
    return {**call, "arguments": dumped(call.get("arguments"), value)}


def _told(raw: Raw, part: Part, note: str) -> Raw:
    """The message with a plain text in the place of a call or an output that stands alone."""
    field = str(part.key[0])
    if part.kind != "call":
        kept = {key: value for key, value in raw.items() if key not in ("tool_call_id", "tool_call_ids", "type")}
        kept.pop(field, None)
        return {**kept, "role": "user", "content": note}
    if field == "content":
        return {**raw, "content": note}
    items = [item for at, item in enumerate(raw[field]) if (field, at) != part.key]
    said = raw.get("content")
    return {**raw, field: items, "content": f"{said}\n{note}" if isinstance(said, str) and said else note}


def _without(raw: Raw, gone: set[Key]) -> Raw:
    """The message without some of its thinking; it never becomes empty."""
    for field in {key[0] for key in gone}:
        old = raw[str(field)]
        kept = [item for at, item in enumerate(old) if (field, at) not in gone] if isinstance(old, list) else None
        raw = {**raw, str(field): kept or None}
    return raw if raw.get("content") or raw.get("tool_calls") or raw.get("output") else {**raw, "content": EMPTIED}
