"""The sweep before a prune: messages passed in that hold orphans become a valid conversation first.

What stands for an orphan is text, which the next reader takes for a prompt or an answer. So the array is swept
and read anew before anything is decided: pruning what came back then finds the very same conversation.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from prune_mcp.engine.memory import Memory
from prune_mcp.engine.prune.archive import archive, archive_calls
from prune_mcp.engine.prune.thoughts import keep_thoughts
from prune_mcp.pruning.options import PruneOptions
from prune_mcp.pruning.pairing import pair
from prune_mcp.pruning.render import sweep
from prune_mcp.pruning.situation import survey
from prune_mcp.sessions.messages.open import MessageConversation, open_messages
from prune_mcp.storage.protocol import Store
from prune_mcp.storage.records import Diagnostic


@dataclass(slots=True)
class Swept:
    """A conversation without orphans, and what the sweep has to say of it."""

    conversation: MessageConversation
    diagnostics: list[Diagnostic] = field(default_factory=list)


def swept(store: Store, conversation: MessageConversation, memory: Memory, options: PruneOptions) -> Swept:
    """The conversation with a note in place of each orphan; the very same one when it has none.

    A call of the newest turn that still waits for its result is none.
    """
    pairing = pair(conversation.messages, conversation.format)
    pairing.wait(conversation.messages)
    if not pairing.calls and not pairing.results:
        return Swept(conversation)
    archive(store, conversation, memory, pairing)
    archive_calls(store, conversation, memory, [block for _, block in pairing.calls])
    frontier = memory.record.frontier
    situation = survey(conversation, memory.of_place(), memory.blocks, frontier, options, pairing)
    rendered = sweep(situation, {place: memory.outputs[ref] for place, ref in memory.orphans.items()})
    keep_thoughts(store, situation, memory, rendered)
    orphans = [block.call_id for _, block in [*pairing.calls, *pairing.results]]
    detail = f"{len(orphans)} calls or results without a partner became text, the first of {orphans[0]!r}"
    payload = conversation.rebuild(conversation.render(rendered.view))
    return Swept(
        open_messages(payload, conversation.format, conversation.session),
        [*rendered.diagnostics, Diagnostic("orphan-sweep", orphans[0], detail)],
    )
