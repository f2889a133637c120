"""How a view's edits look in pi's entries."""

from __future__ import annotations

from typing import Any

from prune_mcp.sessions.messages.wire import replaced
from prune_mcp.sessions.model import Place
from prune_mcp.sessions.rendering import Raw, Rendering
from prune_mcp.sessions.view import View


class PiRendering(Rendering):
    """Content stands in `message`, in a `context_edit` in `replacement`, elsewhere in the entry itself."""

    id_key = "id"
    parent_key = "parentId"

    def edit(self, raw: Raw, entry: int, view: View) -> Raw | None:
        """See `Rendering.edit`."""
        if (note := view.notes.get(Place(entry, -1))) is not None:
            return _told(raw, note)
        holder = {"message": "message", "context_edit": "replacement"}.get(raw["type"])
        held = raw[holder] if holder else raw
        content = self._content(held.get("content"), entry, view)
        if content == []:
            return None
        held = {**held, "content": content}
        return {**raw, holder: held} if holder else held

    def _content(self, content: Any, entry: int, view: View) -> Any:
        text = view.texts.get(Place(entry, -1))
        if text is not None:
            # pi writes results as lists; only a string stays one.
            return replaced([] if content is None else content, text, "text")
        parts = enumerate(content)
        return [_part(part, place, view) for at, part in parts if (place := Place(entry, at)) not in view.stripped]

    def synthetic(self, text: str, pattern: Raw, digest: str, parent: Any) -> Raw:
        """See `Rendering.synthetic`."""
        message = _said(text, pattern.get("message"))
        raw: Raw = {"type": "message"}
        if "id" in pattern:
            raw |= {"id": digest[:8], "parentId": parent}
        if "timestamp" in pattern:
            raw["timestamp"] = pattern["timestamp"]
        return raw | {"message": message}


def _part(part: Any, place: Place, view: View) -> Any:
    if place in view.notes:
        return {"type": "text", "text": view.notes[place]}
    if place in view.arguments:
        return {**part, "arguments": view.arguments[place]}
    return part


def _told(raw: Raw, note: str) -> Raw:
    """A result without its call, told by the user instead: a message of role `toolResult` needs one."""
    if raw["type"] == "context_edit":
        return {**raw, "replacement": {**raw["replacement"], "content": note}}
    return {**raw, "message": _said(note, raw["message"])}


def _said(text: str, like: Any) -> dict[str, Any]:
    """A user message with the time of another one."""
    message: dict[str, Any] = {"role": "user", "content": [{"type": "text", "text": text}]}
    if isinstance(like, dict) and "timestamp" in like:
        message["timestamp"] = like["timestamp"]
    return message
