"""Which archived output a result block is: one identity per occurrence, never a bare call id."""

from __future__ import annotations

from prune_mcp.engine.memory import Memory
from prune_mcp.pruning.situation import standing
from prune_mcp.sessions.model import Block, Conversation, Place
from prune_mcp.storage.records import Output


class Matcher:
    """Matches result blocks with the outputs that a session's store already holds.

    In a transcript an occurrence is known by its entry. Messages passed in have no entry ids: there it is the
    first output of the call id, not yet taken, whose stub or content it holds. What a block among the messages
    stands for is never met again beside that block: there it is a new occurrence of the same words.
    """

    def __init__(self, conversation: Conversation, memory: Memory) -> None:
        self._conversation = conversation
        self._memory = memory
        self._by_entry = bool(conversation.path)
        self._known = by_call(memory)
        self._taken = set(memory.places.values())
        self._given: dict[str, int] = {}
        self._inside = set() if self._by_entry else _covered(conversation, memory)

    def match(self, block: Block, sha: str, norm: str, text: str) -> tuple[Output | None, str]:
        """The output this block is, if known, and the entry that a new one stands in."""
        known = self._known.get(block.call_id, [])
        if self._by_entry:
            entry = self._conversation.entries[block.place.entry].id
            return next((o for o in known if (o.entry, o.sha, o.norm) == (entry, sha, norm)), None), entry
        free = [o for o in known if o.ref not in self._taken and o.ref not in self._inside]
        for output in free:
            if output.stub and output.stub == text:
                return output, output.entry
        for output in free:
            if (output.sha, output.norm) == (sha, norm):
                return output, output.entry
        number = self._given.get(block.call_id, len(known)) + 1
        self._given[block.call_id] = number
        return None, f"#{number}"

    def claim(self, place: Place, output: Output) -> None:
        """Remember that the block at `place` is this output."""
        self._memory.places[place] = output.ref
        self._taken.add(output.ref)


def by_call(memory: Memory) -> dict[str, list[Output]]:
    """The session's outputs by tool-call id, in order."""
    known: dict[str, list[Output]] = {}
    for output in memory.outputs.values():
        known.setdefault(output.call_id, []).append(output)
    return known


def _covered(conversation: Conversation, memory: Memory) -> set[int]:
    """The refs inside blocks that stand among the messages."""
    shown = set(standing(conversation, memory.blocks).values())
    return {ref for block in memory.blocks if block.number in shown for ref in block.refs}
