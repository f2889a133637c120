"""Conversations of ChatGPT, as its data export has them: a tree of nodes, most of which hold a message."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from prune_mcp.sessions.content import string
from prune_mcp.sessions.document import Record, Share
from prune_mcp.sessions.exports import chatgpt_content
from prune_mcp.sessions.exports.chatgpt_speech import ChatGptSpeech
from prune_mcp.sessions.exports.document import About, ExportDocument
from prune_mcp.sessions.exports.identity import made_id
from prune_mcp.sessions.exports.kinds import kept_as, seconds_of
from prune_mcp.sessions.exports.parts import Part
from prune_mcp.sessions.exports.tree import in_order, newest_leaf, standing
from prune_mcp.sessions.model import Block, BlockKind, Role
from prune_mcp.sessions.speech import Speech

if TYPE_CHECKING:
    from prune_mcp.sessions.document_rendering import Edits

ROLES: dict[str, Role] = {"user": "user", "assistant": "assistant", "tool": "user"}
Nodes = dict[str, dict[str, Any]]


class ChatGpt(ExportDocument):
    """A conversation; it stands at its `current_node`, and every other branch is there as well."""

    format = "chatgpt"
    host = "chatgpt"

    def _forget(self) -> None:
        super()._forget()
        self._call_of: dict[str, str] = {}

    def speech(self) -> Speech:
        """See `Reader.speech`."""
        return ChatGptSpeech(self._text, self._arguments)

    def _introduce(self, value: dict[str, Any]) -> About:
        self.session = kept_as(value, "").id
        return About(value.get("title"), None, value.get("create_time"))

    def _listed(self, value: dict[str, Any]) -> Iterator[Record]:
        nodes = {id: node for id, node in value["mapping"].items() if isinstance(node, dict)}
        if len(nodes) < len(value["mapping"]):
            self.skipped["message"] = len(value["mapping"]) - len(nodes)
        parents = _parents(nodes)
        current = string(value.get("current_node"))
        leaf = current if current in nodes else newest_leaf(parents, _times(nodes))
        stands = standing(parents, leaf)
        open_calls: dict[str | None, str] = {}
        for id in in_order(parents):
            called = open_calls[id] = _open_call(nodes[id], open_calls.get(parents[id], ""))
            self._call_of[_id(nodes[id])] = called
            yield Record(nodes[id], id not in stands)

    def _shares(self, raw: dict[str, Any]) -> list[Share]:
        groups = self._groups(raw)
        if not groups:
            return []
        message, id = raw["message"], _id(raw)
        parts = [
            part._replace(call_id=self._call_of.get(id) or id) if part.kind in ("call", "result") else part
            for part in groups[0]
        ]
        author = chatgpt_content.author(message)
        asks = author == "user" and not chatgpt_content.is_hidden(message)
        return [self._share(id, ROLES.get(author, "system"), parts, message.get("create_time"), prompt=asks)]

    def _groups(self, raw: dict[str, Any]) -> list[list[Part]]:
        message = raw.get("message")
        parts = chatgpt_content.parts_of(message) if isinstance(message, dict) else []
        return [parts] if parts else []

    def _said(self, kind: BlockKind, value: Any) -> str:
        return chatgpt_content.said(kind, value)

    def _piece_arguments(self, piece: Any) -> Any:
        return chatgpt_content.arguments(piece)

    def _piece_images(self, block: Block, piece: Any) -> list[tuple[str, str]]:
        # Exports name images and keep them apart.
        return []

    def _edits(self) -> Edits:
        from prune_mcp.sessions.exports.chatgpt_edits import ChatGptEdits

        return ChatGptEdits()


def _id(node: dict[str, Any]) -> str:
    return string(node.get("id")) or made_id(node.get("message"))


def _parents(nodes: Nodes) -> dict[str, str | None]:
    """Each node's parent: the one it names, else the one that names it among its children."""
    parents: dict[str, str | None] = {}
    for id, node in nodes.items():
        parent = node.get("parent")
        parents[id] = parent if isinstance(parent, str) and parent in nodes else None
    for id, node in nodes.items():
        children = node.get("children")
        for child in children if isinstance(children, list) else ():
            if isinstance(child, str) and parents.get(child, id) is None and child != id:
                parents[child] = id
    return parents


def _times(nodes: Nodes) -> dict[str, float]:
    messages = {id: node.get("message") for id, node in nodes.items()}
    return {id: seconds_of(m.get("create_time")) for id, m in messages.items() if isinstance(m, dict)}


def _open_call(node: dict[str, Any], above: str) -> str:
    """The id of the call that a tool's message below this node would answer; `above`: below the node's parent."""
    message = node.get("message")
    if not isinstance(message, dict) or chatgpt_content.author(message) == "tool":
        return above
    called = chatgpt_content.author(message) == "assistant" and chatgpt_content.recipient(message)
    return _id(node) if called else ""
