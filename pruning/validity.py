"""The check after every rendering: what leaves us is a valid conversation, and no larger than what came."""

from __future__ import annotations

from collections.abc import Sequence

from prune_mcp.pruning.pairing import pair
from prune_mcp.pruning.situation import Situation
from prune_mcp.sessions.model import Message, Place
from prune_mcp.sessions.view import View


def problems(situation: Situation, view: View) -> list[str]:
    """What is wrong with the view, in words; empty when it may leave."""
    messages = situation.conversation.messages
    found: list[str] = []
    pairing = pair(messages, situation.conversation.format, view.dropped)
    noted = set(view.notes) | situation.pairing.waiting | view.stripped
    calls = [block for _, block in pairing.calls if block.place not in noted]
    results = [block for _, block in pairing.results if block.place not in noted]
    if calls:
        found.append(f"{len(calls)} calls without a result, the first {calls[0].call_id!r}")
    if results:
        found.append(f"{len(results)} results without a call, the first {results[0].call_id!r}")
    if view.notes.keys() & (pairing.call_of.keys() | pairing.result_of.keys()):
        found.append("a note stands in place of an answered call")
    found.extend(_emptied(messages, view))
    found.extend(_first_role(messages, view))
    return found


def _emptied(messages: Sequence[Message], view: View) -> list[str]:
    gone: set[Place] = view.stripped
    empty = [
        message.id
        for index, message in enumerate(messages)
        if index not in view.dropped and message.blocks and all(block.place in gone for block in message.blocks)
    ]
    return [f"message {empty[0]!r} would be empty"] if empty else []


def _first_role(messages: Sequence[Message], view: View) -> list[str]:
    whole = next((m.role for m in messages if m.role != "system"), None)
    kept = next((m.role for i, m in enumerate(messages) if m.role != "system" and i not in view.dropped), None)
    return [f"the view would begin with role {kept!r}"] if kept not in (None, whole) else []
