"""The items of a Codex rollout: those of the Responses API, with what Codex adds to them."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, ClassVar, NamedTuple

from prune_mcp.sessions.codex.lines import type_of
from prune_mcp.sessions.codex.status import failed
from prune_mcp.sessions.content import compact_json
from prune_mcp.sessions.messages.openai_responses import Responses
from prune_mcp.sessions.messages.wire import Piece, RawEntry, Side, string
from prune_mcp.sessions.model import BlockKind, Format

# Items of which nothing but this field is for reading; the rest is ids and settings.
TELLING = {
    "web_search_call": "action",
    "tool_search_call": "arguments",
    "tool_search_output": "tools",
    "additional_tools": "tools",
}
# What was compacted, as only the provider can read it.
OPAQUE = frozenset({"compaction", "compaction_summary", "context_compaction", "compaction_trigger"})
# Items that the host keeps for itself.
OWN = frozenset({"ghost_snapshot", "compaction_trigger"})
SENT = TELLING.keys() | OPAQUE | {"message", "agent_message", "reasoning", "image_generation_call"}
ENCRYPTED = "gAAAA"
# A number so long may not fit 64 bits.
_LONG = re.compile(r"\d{19}")


class Said(NamedTuple):
    """A piece of an item: what it is, the raw value that holds it, and its visible text."""

    kind: BlockKind
    value: Any
    text: str


class CodexItems(Responses):
    """The items, read as pieces. Encrypted text says nothing; an exit status other than 0 is an error."""

    format: ClassVar[Format] = "codex"

    def side(self, entry: RawEntry) -> Side | None:
        """As the API has it; what another agent says comes to the model like a user's words."""
        kind = type_of(entry)
        if kind == "agent_message":
            return "user"
        return "system" if kind == "additional_tools" else super().side(entry)

    def sent(self, entry: RawEntry) -> bool:
        """Whether the host sends the item to the model; types we do not know are not sent."""
        kind = type_of(entry)
        return kind not in OWN and (kind in SENT or self._paired(kind) or "role" in entry)

    def pieces(self, entry: RawEntry) -> Iterator[Piece]:
        """The parts of a message; any other item is one piece."""
        if type_of(entry) == "agent_message":
            entry = {**entry, "type": "message"}
        for piece in super().pieces(entry):
            kind = _kind(piece)
            yield piece if kind == piece.kind else piece._replace(kind=kind)

    def call(self, value: Any) -> tuple[str, str]:
        """Call id and name, the name with its namespace in front."""
        id, name = super().call(value)
        space = value.get("namespace")
        if not isinstance(space, str) or not space or name.startswith(space):
            return id, name
        return id, space + name if space.endswith("_") or name.startswith("_") else f"{space}__{name}"

    def arguments(self, value: Any) -> Any:
        """The arguments as a JSON value, integers of any size exact."""
        recorded = self.recorded_arguments(value)
        if type_of(value) == "function_call" and isinstance(recorded, str) and _LONG.search(recorded):
            try:
                return json.loads(recorded)
            except (ValueError, RecursionError):
                return recorded
        return super().arguments(value)

    def thinking(self, value: Any) -> str:
        """The reasoning's summaries and texts."""
        return super().thinking({**value, "encrypted_content": None})

    def failed(self, value: Any, text: str) -> bool:
        """By the exit status, or by what the output says on its face."""
        return failed(value.get("output"), text) is True

    def text(self, kind: BlockKind, value: Any) -> str:
        """The visible text of a piece; of a search its query, of a generated image what was asked for."""
        item = type_of(value)
        if item == "image_generation_call":
            return string(value.get("revised_prompt"))
        if item == "encrypted_content":
            return plain(value)
        if kind != "other":
            return super().text(kind, value)
        if item in TELLING:
            return string(value.get(TELLING[item]))
        return "" if item in OPAQUE else compact_json(value)

    def images(self, kind: BlockKind, value: Any) -> list[tuple[str, str]]:
        """The images at hand in a piece, as (media type, base64 data)."""
        if type_of(value) == "image_generation_call":
            data = value.get("result")
            return [("image/png", data)] if isinstance(data, str) and data else []
        return super().images(kind, value)

    @staticmethod
    def _paired(kind: str) -> bool:
        return kind.removesuffix("_output").endswith("_call")


ITEMS = CodexItems()


def said_by(items: Iterable[RawEntry]) -> list[Said]:
    """What items say, piece by piece."""
    pieces = (piece for item in items for piece in ITEMS.pieces(item))
    return [Said(kind, value, ITEMS.text(kind, value)) for _, kind, value in pieces]


def plain(part: Any) -> str:
    """What a part says that may be encrypted: "" where it is."""
    text = string(part.get("encrypted_content"))
    return "" if text.startswith(ENCRYPTED) else text


def _kind(piece: Piece) -> BlockKind:
    """What a piece is, as Codex has it."""
    kind = type_of(piece.value)
    if kind == "encrypted_content":
        return "text" if plain(piece.value) else "other"
    return "image" if kind == "image_generation_call" else piece.kind
