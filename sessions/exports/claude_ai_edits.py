"""How a view's edits look in messages of claude.ai."""

from __future__ import annotations

from typing import Any

from prune_mcp.sessions.document_rendering import Edits, Raw
from prune_mcp.sessions.exports.claude_ai_content import parts_of
from prune_mcp.sessions.exports.links import Links
from prune_mcp.sessions.exports.parts import Key, grouped
from prune_mcp.sessions.identity import uuid_from
from prune_mcp.sessions.messages.wire import replaced
from prune_mcp.sessions.model import Place
from prune_mcp.sessions.view import View

PARENT = "parent_message_uuid"
# What an inserted message has in common with the one before it.
ENVELOPE = ("created_at", "updated_at")


class ClaudeAiEdits(Edits):
    """Blocks are edited in `content`; the flattened `text` beside them is made anew from what is left."""

    def __init__(self) -> None:
        self._links = Links(PARENT)

    def id(self, raw: Raw) -> str:
        """See `Edits.id`."""
        return str(raw.get("uuid", ""))

    def edit(self, raw: Raw, shares: dict[int, int], dropped: set[int], view: View) -> Raw | None:
        """See `Edits.edit`."""
        instead: dict[Key, list[Any]] = {}
        left = 0
        for number, parts in enumerate(grouped(parts_of(raw))):
            for at, part in enumerate(parts):
                place = Place(shares.get(number, -1), at)
                if number in dropped or place in view.stripped:
                    instead[part.key] = []
                    continue
                left += 1
                if (edited := _edited(part.value, place, view)) is not part.value:
                    instead[part.key] = [edited]
        return _rebuilt(raw, instead) if left else None

    def synthetic(self, text: str, pattern: Raw, digest: str) -> Raw:
        """See `Edits.synthetic`."""
        id = uuid_from(digest)
        made: Raw = {"uuid": id, "text": text, "content": [{"type": "text", "text": text}], "sender": "human"}
        made |= {key: pattern[key] for key in ENVELOPE if key in pattern}
        parent = self._links.parent_of_new(id, pattern)
        return made | {"attachments": [], "files": []} | ({PARENT: parent} if PARENT in pattern else {})

    def linked(self, raw: Raw, edited: Raw | None) -> Raw | None:
        """See `Edits.linked`."""
        if PARENT not in raw:
            return edited
        return self._links.linked(self.id(raw), edited)


def _edited(value: Any, place: Place, view: View) -> Any:
    if place in view.texts:
        return {**value, "content": replaced(value.get("content"), view.texts[place], "text")}
    if place in view.arguments:
        return {**value, "input": view.arguments[place]}
    if place in view.notes:
        return {"type": "text", "text": view.notes[place]}
    return value


def _rebuilt(raw: Raw, instead: dict[Key, list[Any]]) -> Raw:
    """The message with other values in the places of some."""
    made = dict(raw)
    for field in {str(key[0]) for key in instead}:
        old = raw[field]
        if not isinstance(old, list):
            made[field] = ""
            continue
        made[field] = [new for at, value in enumerate(old) for new in instead.get((field, at), [value])]
    if "content" in made and isinstance(raw.get("text"), str) and ("text",) not in instead:
        said = [block.get("text") for block in made["content"] if isinstance(block, dict) and "text" in block]
        made["text"] = "\n\n".join(text for text in said if isinstance(text, str))
    return made
