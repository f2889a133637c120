"""A view: the edits that turn the raw conversation into what is rendered. Readers' formats apply them."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from prune_mcp.sessions.model import Place


@dataclass(slots=True)
class View:
    """Edits by place; whatever is not named stays byte for byte as it came in.

    `texts`: a tool result's whole content becomes this text (images included are left out).
    `arguments`: a call's arguments become this JSON value.
    `notes`: the block (a call without result, a result without call) becomes a plain text block with this text.
    `stripped`: blocks left out (thinking).
    `dropped`: indexes into `Conversation.messages` left out whole.
    `inserted`: after message index i, user text(s) that belong to no entry, in order. Index -1: before all.
    """

    texts: dict[Place, str] = field(default_factory=dict)
    arguments: dict[Place, Any] = field(default_factory=dict)
    notes: dict[Place, str] = field(default_factory=dict)
    stripped: set[Place] = field(default_factory=set)
    dropped: set[int] = field(default_factory=set)
    inserted: dict[int, list[str]] = field(default_factory=dict)

    def __bool__(self) -> bool:
        """Whether anything is edited."""
        return bool(self.texts or self.arguments or self.notes or self.stripped or self.dropped or self.inserted)
