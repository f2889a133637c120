"""How a view's edits look in the nodes of a ChatGPT conversation."""

from __future__ import annotations

from typing import Any

from prune_mcp.sessions.content import compact_json
from prune_mcp.sessions.document_rendering import Edits, Raw
from prune_mcp.sessions.exports.chatgpt_content import parts_of
from prune_mcp.sessions.exports.links import Links
from prune_mcp.sessions.exports.parts import Part
from prune_mcp.sessions.identity import uuid_from
from prune_mcp.sessions.model import Place
from prune_mcp.sessions.view import View


class ChatGptEdits(Edits):
    """The `parent` of a node is what links it; `children` stay as they are."""

    def __init__(self) -> None:
        self._links = Links("parent")

    def id(self, raw: Raw) -> str:
        """See `Edits.id`."""
        return str(raw.get("id", ""))

    def edit(self, raw: Raw, shares: dict[int, int], dropped: set[int], view: View) -> Raw | None:
        """See `Edits.edit`."""
        if dropped:
            return None
        message = raw["message"]
        parts = parts_of(message)
        stripped = [part for at, part in enumerate(parts) if Place(shares[0], at) in view.stripped]
        if len(stripped) == len(parts):
            return None
        content = message["content"]
        for at in range(len(parts)):
            content = _edited(content, Place(shares[0], at), view)
        return {**raw, "message": {**message, "content": _without(content, stripped)}}

    def synthetic(self, text: str, pattern: Raw, digest: str) -> Raw:
        """See `Edits.synthetic`."""
        id = uuid_from(digest)
        like = pattern.get("message")
        message: Raw = {
            "id": id,
            "author": {"role": "user", "name": None, "metadata": {}},
            "create_time": like.get("create_time") if isinstance(like, dict) else None,
            "content": {"content_type": "text", "parts": [text]},
            "metadata": {},
            "recipient": "all",
        }
        return {"id": id, "message": message, "parent": self._links.parent_of_new(id, pattern), "children": []}

    def linked(self, raw: Raw, edited: Raw | None) -> Raw | None:
        """See `Edits.linked`."""
        return self._links.linked(self.id(raw), edited)


def _edited(content: Any, place: Place, view: View) -> Any:
    if place in view.texts:
        return _with_text(content, view.texts[place])
    if place in view.arguments:
        given = view.arguments[place]
        return _with_text(content, given if isinstance(given, str) else compact_json(given))
    if place in view.notes:
        return {"content_type": "text", "parts": [view.notes[place]]}
    return content


def _with_text(content: Any, text: str) -> dict[str, Any]:
    """The content with this text and nothing else that is read, of the same type where that has one text."""
    if isinstance(content, dict) and content.get("content_type") in ("code", "execution_output"):
        return {**content, "text": text}
    return {"content_type": "text", "parts": [text]}


def _without(content: Any, stripped: list[Part]) -> Any:
    """The content without some of its thoughts or parts."""
    if not isinstance(content, dict):
        return content
    gone = {part.key[1:] for part in stripped if part.key[0] == "content" and len(part.key) == 3}
    for field in {key[0] for key in gone}:
        kept = [value for at, value in enumerate(content[field]) if (field, at) not in gone]
        content = {**content, field: kept}
    return content
