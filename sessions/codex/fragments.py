"""What one line of a Codex rollout adds to the conversation."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from prune_mcp.sessions.codex import prompts as codex_prompts
from prune_mcp.sessions.codex.events import items_of_event
from prune_mcp.sessions.codex.items import ITEMS, Said, said_by
from prune_mcp.sessions.codex.lines import Line, type_of
from prune_mcp.sessions.fragment import Fragment
from prune_mcp.sessions.messages.wire import Piece, RawEntry, Side
from prune_mcp.sessions.model import Block, Role

ROLES: dict[Side | None, Role] = {
    "user": "user",
    "assistant": "assistant",
    "system": "system",
    "result": "user",
    None: "system",
}


class Part(NamedTuple):
    """One of the messages that a compaction left: how many blocks it has, and whose they are."""

    role: Role
    blocks: int
    prompt: bool = False
    summary: bool = False


def items_of(line: Line) -> list[RawEntry]:
    """What a line says, as items: its own, those that a compaction left, or those that tell what an event says."""
    if line.kind == "response_item":
        return [line.payload]
    if line.kind == "compacted":
        return replacement(line.payload) or [_summary(line.payload)]
    if line.kind == "inter_agent_communication":
        return [{**line.payload, "type": "agent_message"}]
    return [*items_of_event(line.payload)] if line.kind == "event_msg" else []


def replacement(payload: dict[str, Any]) -> list[RawEntry]:
    """The history that a compaction put in the place of everything before it; none in old rollouts."""
    history = payload.get("replacement_history")
    return [item for item in history if isinstance(item, dict)] if isinstance(history, list) else []


def _summary(payload: dict[str, Any]) -> RawEntry:
    message = payload.get("message")
    content = message if isinstance(message, str) else ""
    return {"type": "message", "role": "user", "content": content}


def fragment_of(index: int, id: str, items: Sequence[RawEntry], said: Sequence[Said]) -> Fragment:
    """The fragment of what the items of a line say, hidden where the host does not send them to the model."""
    first = items[0]
    fragment = Fragment(ROLES[ITEMS.side(first)], id, blocks_of(index, said), entry=index)
    fragment.hidden = not all(map(ITEMS.sent, items))
    if type_of(first) != "agent_message" and fragment.role == "user":
        fragment.prompt = asks(said)
    return fragment


def compaction_of(
    index: int, id: str, line: Line, items: Sequence[RawEntry], said: Sequence[Said]
) -> tuple[Fragment, list[Part]]:
    """The fragment of a compaction, and the messages that it left, one after another."""
    fragment = Fragment("user", id, blocks_of(index, said), prompt=True, summary=True, entry=index, barrier=True)
    if line.payload.get("replacement_history") == []:
        return fragment, []
    summary = line.payload.get("message")
    parts: list[Part] = []
    for item in items:
        part = _part(item, summary if isinstance(summary, str) else "")
        last = parts[-1] if parts else None
        if last and last.role == part.role == "assistant":
            parts[-1] = last._replace(blocks=last.blocks + part.blocks)
        elif part.blocks:
            parts.append(part)
    return fragment, parts


def _part(item: RawEntry, summary: str) -> Part:
    said = said_by([item])
    role = ROLES[ITEMS.side(item)]
    if role != "user":
        return Part(role, len(said))
    texts = texts_of(said)
    told = any(codex_prompts.is_summary(text) or (summary and text == summary) for text in texts)
    return Part(role, len(said), bool(told) or asks(said), bool(told))


def blocks_of(index: int, said: Sequence[Said]) -> list[Block]:
    """The blocks of what an entry says, in order."""
    return [ITEMS.block(index, Piece(at, kind, value), text) for at, (kind, value, text) in enumerate(said)]


def asks(said: Sequence[Said]) -> bool:
    """Whether a user's message asks anything."""
    return codex_prompts.is_prompt([(kind, text) for kind, _, text in said])


def texts_of(said: Sequence[Said]) -> list[str]:
    """The texts of a message."""
    return [text for kind, _, text in said if kind == "text"]


def words_of(said: Sequence[Said]) -> str:
    """The words of a user's message that are the person's own."""
    return " ".join(filter(None, map(codex_prompts.own_words, texts_of(said))))
