"""Usage where the store cannot be used: what is archived on the way stands in another one, and goes with it."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory

from prune_mcp.engine.memory import Memory
from prune_mcp.engine.usage.answer import UsageAnswer
from prune_mcp.engine.usage.usage import UsageRequest, usage
from prune_mcp.sessions.model import Conversation
from prune_mcp.storage.errors import StoreError, StoreNewer
from prune_mcp.storage.home import Home
from prune_mcp.storage.protocol import Store
from prune_mcp.storage.sqlite import open_store

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
        StoreError: the store cannot be used, and nothing else can be written either.
    """
    try:
        return usage(store, conversation, memory, request)
    except StoreNewer:
        raise
    except StoreError as error:
        try:
            with _passing() as passing:
                answer, _ = usage(passing, conversation, None, replace(request, kept=False))
        except (StoreError, OSError):
            raise error from None
        answer.notes.insert(0, f"{UNKEPT} {error}")
        return answer, None


@contextmanager
def _passing() -> Iterator[Store]:
    with TemporaryDirectory(prefix="prune-mcp-") as name:
        folder = Path(name)
        store = open_store(Home(folder, folder, folder))
        try:
            yield store
        finally:
            store.close()
