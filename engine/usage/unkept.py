"""Usage where the store cannot be used: what is archived on the way goes with the answer."""

from __future__ import annotations

from contextlib import closing
from dataclasses import replace

from prune_mcp.engine.memory import Memory
from prune_mcp.engine.usage.answer import UsageAnswer
from prune_mcp.engine.usage.usage import UsageRequest, usage
from prune_mcp.sessions.model import Conversation
from prune_mcp.storage.errors import StoreError, StoreNewer
from prune_mcp.storage.passing import passing_store
from prune_mcp.storage.protocol import Store

UNKEPT = (
    "Nothing was archived, since the store cannot be used: outputs are named by where they stand, and what was "
    "pruned before counts as whole."
)


def usage_anyway(
    store: Store, conversation: Conversation, memory: Memory | None, request: UsageRequest
) -> tuple[UsageAnswer, Memory | None]:
    """What fills the context, as `usage` tells it; where the store cannot be used a note says so and why.

    The memory is None then.

    Raises:
        SessionError: its source changed while it was read.
        StoreNewer: a newer version wrote the store.
    """
    try:
        return usage(store, conversation, memory, request)
    except StoreNewer:
        raise
    except StoreError as error:
        with closing(passing_store()) as passing:
            answer, _ = usage(passing, conversation, None, replace(request, kept=False))
        answer.notes.insert(0, f"{UNKEPT} {error}")
        return answer, None
