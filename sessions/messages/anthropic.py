"""Anthropic Messages: one entry per message, roles alternate, results stand first in a user message."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

from prune_mcp.sessions.content import parts
from prune_mcp.sessions.messages.anthropic_render import render
from prune_mcp.sessions.messages.assembly import Assembly
from prune_mcp.sessions.messages.wire import Piece, RawEntry, Side, Wire, part_kind, string
from prune_mcp.sessions.model import BlockKind, Format
from prune_mcp.sessions.view import View

SIDES: dict[Any, Side] = {"user": "user", "assistant": "assistant", "system": "system", "developer": "system"}
KINDS: dict[Any, BlockKind] = {
    "thinking": "thinking",
    "redacted_thinking": "thinking",
    "tool_use": "call",
    "tool_result": "result",
}


class Anthropic(Wire):
    """The Messages API."""

    format: ClassVar[Format] = "anthropic"

    def side(self, entry: RawEntry) -> Side | None:
        """The role's side; an entry without a known role is no message."""
        role = entry.get("role")
        return SIDES.get(role) if isinstance(role, str) else None

    def pieces(self, entry: RawEntry) -> Iterator[Piece]:
        """The content blocks; a string is one text block."""
        content = entry.get("content")
        if isinstance(content, list):
            for at, part in enumerate(content):
                yield Piece(at, _kind(part), part)
        else:
            for part in parts(content):
                yield Piece(-1, _kind(part), part)

    def piece(self, entry: RawEntry, at: int) -> Any:
        """The content block at a position."""
        return entry["content"] if at < 0 else entry["content"][at]

    def call(self, value: Any) -> tuple[str, str]:
        """Id and name."""
        id = value.get("id") if value.get("type") == "tool_use" else value.get("tool_use_id")
        return string(id), string(value.get("name"))

    def recorded_arguments(self, value: Any) -> Any:
        """The input object."""
        return value.get("input")

    def arguments(self, value: Any) -> Any:
        """The input object."""
        return value.get("input")

    def output(self, value: Any) -> Any:
        """The nested content."""
        return value.get("content")

    def thinking(self, value: Any) -> str:
        """The thinking; of redacted thinking the data, which is all there is."""
        return string(value.get("thinking", value.get("data")))

    def failed(self, value: Any, text: str) -> bool:
        """The format's own flag."""
        return bool(value.get("is_error"))

    def signed(self, value: Any) -> bool:
        """Redacted thinking always is."""
        return value.get("type") == "redacted_thinking" or bool(value.get("signature"))

    def render(self, assembly: Assembly, view: View) -> Iterator[Any]:
        """See `anthropic_render`."""
        return render(assembly, view)


def _kind(part: Any) -> BlockKind:
    kind = part.get("type") if isinstance(part, dict) else None
    return KINDS.get(kind) or part_kind(part) if isinstance(kind, str) else part_kind(part)
