"""Forks and resumed copies: a session that begins as another one inherits that one's refs."""

from __future__ import annotations

from collections import defaultdict

from prune_mcp.sessions.model import Conversation
from prune_mcp.storage.protocol import Store, Writer

# The first results decide: a copy begins with them.
PROBED = 50


def source_of(store: Store, conversation: Conversation) -> tuple[str, list[int]] | None:
    """The session whose outputs the new one repeats entry for entry, and their refs there, if there is one."""
    results = conversation.archive()
    entries = {(block.call_id, conversation.entries[block.place.entry].id) for block in results}
    probed = [block.call_id for block in results[:PROBED]]
    shared: dict[str, list[int]] = defaultdict(list)
    for session, output in store.occurrences(probed):
        if session != conversation.session and (output.call_id, output.entry) in entries:
            shared[session].append(output.ref)
    if not shared:
        return None
    source = max(sorted(shared), key=lambda session: len(shared[session]))
    refs = [output.ref for output in store.outputs(source) if (output.call_id, output.entry) in entries]
    return source, refs


def inherit(writer: Writer, store: Store, conversation: Conversation) -> None:
    """Let a session that the store does not know yet inherit from the one it was copied from."""
    source = source_of(store, conversation) if conversation.path else None
    if source is not None:
        writer.inherit(conversation.session, source[0], source[1])
