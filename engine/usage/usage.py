"""What fills the context of a conversation now, what of it costs most, and what pruning it would save."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from prune_mcp.engine.memory import Memory
from prune_mcp.engine.prune.archive import Progress
from prune_mcp.engine.prune.prune import Pruned, Request, prune
from prune_mcp.engine.usage.answer import UsageAnswer
from prune_mcp.engine.usage.counted import counted
from prune_mcp.engine.usage.items import costliest
from prune_mcp.engine.usage.model import framing, remembered
from prune_mcp.engine.usage.notes import notes
from prune_mcp.engine.usage.options import UsageOptions
from prune_mcp.engine.usage.outside import outside
from prune_mcp.engine.usage.reported import Reported, reported
from prune_mcp.engine.usage.rows import by_weight, rows
from prune_mcp.engine.usage.saving import saving
from prune_mcp.engine.usage.slices import Slice, slices
from prune_mcp.engine.usage.waste import repeated, stale
from prune_mcp.engine.usage.windows import models
from prune_mcp.pruning.options import PruneOptions
from prune_mcp.sessions.model import Conversation
from prune_mcp.storage.protocol import Store


@dataclass(slots=True)
class UsageRequest:
    """What a caller asks. `payload`: the request body or the array that the conversation was read from. `kept`:
    whether the store keeps what is archived, so that its refs can be told."""

    prune: PruneOptions = field(default_factory=PruneOptions)
    options: UsageOptions = field(default_factory=UsageOptions)
    payload: object = None
    progress: Progress | None = None
    kept: bool = True


def usage(
    store: Store, conversation: Conversation, memory: Memory | None, request: UsageRequest
) -> tuple[UsageAnswer, Memory]:
    """What fills the context of a conversation. Outputs are archived, so that each has a ref; nothing is pruned.

    `memory` is what an earlier prune of it left in this process.

    Raises:
        SessionError: its source changed while it was read.
        StoreError: the store cannot be read or written.
    """
    pruned, memory = prune(
        store, conversation, memory, Request(request.prune, dry_run=True, progress=request.progress)
    )
    told = reported(conversation)
    if isinstance(request.payload, dict) and isinstance(name := request.payload.get("model"), str):
        told.model = name
    found = [*outside(conversation, request.payload), *slices(pruned.situation)]
    sent, gone = remembered(pruned.situation, told.model, found)
    answer = _answer(pruned, told, [*sent, *framing(pruned.situation, told.model)], request)
    answer.forgotten = sum(one.tokens for one in gone)
    answer.notes += notes(answer, conversation)
    return answer, memory


def _answer(pruned: Pruned, told: Reported, found: Sequence[Slice], request: UsageRequest) -> UsageAnswer:
    conversation = pruned.situation.conversation
    known = models(request.options)
    model = known.find(told.model)
    provider, beyond = counted(told, found)
    weighed = by_weight([*rows(found), *beyond])
    total = sum(row.tokens for row in weighed)
    window, source = known.window(told.model, told.window)
    answer = UsageAnswer(
        session=conversation.session,
        host=conversation.host,
        format=conversation.format,
        model=told.model,
        window=window,
        window_source=source,
        total=total,
        free=window - total if window is not None and window >= total else None,
        rows=weighed,
        counted=provider,
        items=costliest(pruned.situation, found, refs=request.kept),
        stale=stale(pruned.situation),
        repeated=repeated(pruned.situation, found, request.payload),
        saving=saving(pruned, model.prices),
    )
    answer.notes = [f"The setting {key} {fault}" for key, fault in known.wrong]
    return answer
