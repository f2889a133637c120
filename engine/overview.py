"""How it all stands: what is archived, and what of the past is indexed."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from prune_mcp.engine.past import IndexStatus, PastSessions
    from prune_mcp.storage.protocol import Store


@dataclass(frozen=True, slots=True)
class Overview:
    """`sessions` and `outputs`: how many are archived. `index`: how the index of past sessions stands."""

    sessions: int
    outputs: int
    index: IndexStatus


def overview(store: Store, past: PastSessions) -> Overview:
    """How the store and the index stand.

    Raises:
        StoreError: one of them cannot be read.
    """
    records = store.sessions()
    return Overview(len(records), sum(record.next_ref - 1 for record in records), past.status())
