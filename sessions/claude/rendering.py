"""How a view's edits look in Claude Code's entries."""

from __future__ import annotations

from typing import Any

from prune_mcp.sessions.identity import uuid_from
from prune_mcp.sessions.messages.wire import replaced
from prune_mcp.sessions.model import Place
from prune_mcp.sessions.rendering import Raw, Rendering
from prune_mcp.sessions.view import View

# What an inserted entry has in common with the one before it.
ENVELOPE = (
    *("isSidechain", "userType", "entrypoint", "cwd", "sessionId", "version", "gitBranch", "slug", "agentId"),
    "timestamp",
)


class ClaudeRendering(Rendering):
    """A result's structured copy (`toolUseResult`) stays: the host does not send it to the model."""

    id_key = "uuid"
    parent_key = "parentUuid"

    def edit(self, raw: Raw, entry: int, view: View) -> Raw | None:
        """See `Rendering.edit`."""
        message = raw["message"]
        parts = enumerate(message["content"])
        edited = [
            _part(part, place, view) for at, part in parts if (place := Place(entry, at)) not in view.stripped
        ]
        return {**raw, "message": {**message, "content": edited}} if edited else None

    def synthetic(self, text: str, pattern: Raw, digest: str, parent: Any) -> Raw:
        """See `Rendering.synthetic`."""
        envelope = {key: pattern[key] for key in ENVELOPE if key in pattern}
        id = uuid_from(digest)
        message = {"role": "user", "content": text}
        return {"parentUuid": parent, **envelope, "type": "user", "message": message, "uuid": id}


def _part(part: Any, place: Place, view: View) -> Any:
    if place in view.notes:
        return {"type": "text", "text": view.notes[place]}
    if place in view.arguments:
        return {**part, "input": view.arguments[place]}
    if place in view.texts:
        return {**part, "content": replaced(part.get("content"), view.texts[place], "text")}
    return part
