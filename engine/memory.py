"""What the engine keeps in memory of one session's records; the store stays the truth."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from prune_mcp.pruning.names import Seen
from prune_mcp.sessions.model import Conversation, Place
from prune_mcp.storage.protocol import Store
from prune_mcp.storage.records import ChainBlock, Output, SessionRecord


@dataclass(slots=True)
class Memory:
    """A session's records as last read, and which output each result block is.

    `archived` counts the results of the conversation that are already matched with the store. `missing` names the
    bodies that the store has lost. `seen` holds the names in view of the first `seen_upto` messages.
    """

    record: SessionRecord
    outputs: dict[int, Output] = field(default_factory=dict)
    places: dict[Place, int] = field(default_factory=dict)
    orphans: dict[Place, int] = field(default_factory=dict)
    blocks: list[ChainBlock] = field(default_factory=list)
    facets: set[tuple[int, str]] = field(default_factory=set)
    missing: set[str] = field(default_factory=set)
    archived: int = 0
    version: int = -1
    protected: dict[Place, str | None] = field(default_factory=dict)
    seen: Seen | None = None
    seen_upto: int = 0

    def keep(self, outputs: Iterable[Output]) -> None:
        """Take in outputs as the store now has them."""
        for output in outputs:
            if output.norm == output.sha:
                # One object for both: a long session has very many outputs.
                output.norm = output.sha
            self.outputs[output.ref] = output

    def of_place(self) -> dict[Place, Output]:
        """The archived output of each result block."""
        outputs = self.outputs
        return {place: outputs[ref] for place, ref in self.places.items()}


def remember(store: Store, record: SessionRecord) -> Memory:
    """Read a session's records from the store."""
    memory = Memory(record=record, version=store.version())
    memory.keep(store.outputs(record.id))
    memory.blocks = store.blocks(record.id)
    memory.facets = set(store.facets(record.id))
    memory.missing = store.missing(record.id)
    return memory


def draft_record(conversation: Conversation) -> SessionRecord:
    """What a conversation says of its session."""
    return SessionRecord(
        id=conversation.session,
        format=conversation.format,
        host=conversation.host,
        path=conversation.path,
        cwd=conversation.cwd,
        title=conversation.title,
    )
