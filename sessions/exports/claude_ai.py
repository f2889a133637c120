"""Conversations of claude.ai, as its data export and the exporters for browsers have them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from prune_mcp.sessions.content import result_images, string
from prune_mcp.sessions.document import Record, Share
from prune_mcp.sessions.exports import claude_ai_content
from prune_mcp.sessions.exports.claude_ai_speech import ClaudeAiSpeech
from prune_mcp.sessions.exports.document import About, ExportDocument
from prune_mcp.sessions.exports.identity import made_id
from prune_mcp.sessions.exports.kinds import kept_as, seconds_of
from prune_mcp.sessions.exports.parts import Part, grouped
from prune_mcp.sessions.exports.tree import newest_leaf, standing
from prune_mcp.sessions.model import Block, BlockKind, Role
from prune_mcp.sessions.speech import Speech

if TYPE_CHECKING:
    from prune_mcp.sessions.document_rendering import Edits

# How the parent of a first message begins, which is no message.
ROOT = "00000000-0000-"
ROLES: dict[str, Role] = {"human": "user", "user": "user", "assistant": "assistant"}


class ClaudeAi(ExportDocument):
    """A conversation; its regenerated branches are all there, and the newest leaf is where it stands."""

    format = "claude.ai"
    host = "claude.ai"

    def speech(self) -> Speech:
        """See `Reader.speech`."""
        return ClaudeAiSpeech(self._text, self._arguments)

    def _introduce(self, value: dict[str, Any]) -> About:
        self.session = kept_as(value, "").id
        return About(value.get("name"), value.get("summary"), value.get("created_at"))

    def _listed(self, value: dict[str, Any]) -> Iterator[Record]:
        messages = [message for message in value["chat_messages"] if isinstance(message, dict)]
        if len(messages) < len(value["chat_messages"]):
            self.skipped["message"] = len(value["chat_messages"]) - len(messages)
        left = _left(messages, string(value.get("current_leaf_message_uuid")))
        for message in messages:
            yield Record(message, string(message.get("uuid")) in left)

    def _shares(self, raw: dict[str, Any]) -> list[Share]:
        id = _id(raw)
        role = ROLES.get(string(raw.get("sender", raw.get("role"))), "system")
        groups, time = self._groups(raw), raw.get("created_at")
        groups = _paired(groups, id)
        shares = []
        for number, parts in enumerate(groups, 1):
            speaks: Role = "user" if parts[0].kind == "result" else role
            name = id if number == 1 else f"{id}.{number}"
            shares.append(self._share(name, speaks, parts, time, prompt=role == "user" and speaks == role))
        return shares

    def _groups(self, raw: dict[str, Any]) -> list[list[Part]]:
        return grouped(claude_ai_content.parts_of(raw))

    def _said(self, kind: BlockKind, value: Any) -> str:
        return claude_ai_content.said(kind, value)

    def _piece_arguments(self, piece: Any) -> Any:
        return piece.get("input")

    def _piece_images(self, block: Block, piece: Any) -> list[tuple[str, str]]:
        return result_images(piece.get("content") if block.kind == "result" else [piece])

    def _edits(self) -> Edits:
        from prune_mcp.sessions.exports.claude_ai_edits import ClaudeAiEdits

        return ClaudeAiEdits()


def _id(message: dict[str, Any]) -> str:
    id = string(message.get("uuid"))
    return id or made_id(message.get("sender"), message.get("text"), message.get("content"))


def _left(messages: list[dict[str, Any]], current: str) -> set[str]:
    """The ids of messages on branches that were left; a message that tells no parent continues the one before."""
    parents: dict[str, str | None] = {}
    times: dict[str, float] = {}
    before: str | None = None
    for message in messages:
        id, parent = message.get("uuid"), message.get("parent_message_uuid")
        if not isinstance(id, str) or id in parents:
            continue
        known = isinstance(parent, str) and parent in parents
        parents[id] = parent if known else None if string(parent).startswith(ROOT) else before
        times[id] = seconds_of(message.get("created_at"))
        before = id
    leaf = current if current in parents else newest_leaf(parents, times)
    return set(parents) - standing(parents, leaf)


def _paired(groups: list[list[Part]], id: str) -> list[list[Part]]:
    """The groups with an id for each call, and in each result that of the call it answers: the one it names, else
    the first open one of its tool, else the first open one."""
    open_calls: dict[str, str] = {}
    number = 0
    for parts in groups:
        for at, part in enumerate(parts):
            number += 1
            if part.kind == "call":
                call = part.call_id or f"{id}:{number}"
                open_calls[call] = part.tool
            elif part.kind == "result":
                call = _answered(part, open_calls) or part.call_id or f"{id}:{number}"
                open_calls.pop(call, None)
            else:
                continue
            parts[at] = part._replace(call_id=call)
    return groups


def _answered(result: Part, open_calls: dict[str, str]) -> str:
    if result.call_id in open_calls:
        return result.call_id
    if result.call_id:
        return ""
    same = [call for call, tool in open_calls.items() if tool == result.tool]
    return next(iter(same or open_calls), "")
