"""What stands in a context for nothing, as shares of it: stale reads, and instructions that were sent twice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from prune_mcp.engine.recovery.fence import inline
from prune_mcp.engine.usage.answer import Waste
from prune_mcp.engine.usage.outside import instruction_texts
from prune_mcp.engine.usage.slices import Slice
from prune_mcp.pruning.situation import Situation
from prune_mcp.pruning.stale import repeats, stale_reads
from prune_mcp.sessions.tokens import tokens

# Names told, and characters of each.
NAMED, NAME_CHARS = 5, 80


def stale(situation: Situation) -> Waste:
    """The reads of files that were changed later, with these files."""
    reads = stale_reads(situation)
    reads.sort(key=lambda read: -tokens(read.block.size, read.block.images))
    sizes = [tokens(read.block.size, read.block.images) for read in reads]
    names = dict.fromkeys(path for read in reads for path in read.paths)
    return Waste(len(reads), sum(sizes), [inline(name[-NAME_CHARS:], NAME_CHARS) for name in names][:NAMED])


def repeated(situation: Situation, found: Sequence[Slice], payload: object) -> Waste:
    """The instruction blocks that stand in the context, or in the request body, a second time."""
    told = [*instruction_texts(payload), *_texts(situation, found)]
    again = sorted(repeats(told), key=lambda repeat: -repeat.tokens)
    names = dict.fromkeys(inline(repeat.text, NAME_CHARS) for repeat in again)
    return Waste(len(again), sum(repeat.tokens for repeat in again), list(names)[:NAMED])


def _texts(situation: Situation, found: Sequence[Slice]) -> Iterator[str]:
    """The texts that the person, their host and whoever set up the model put into the context."""
    blocks = {
        one.block.place: one.block for one in found if one.block and one.category in ("system", "user", "host")
    }
    return (situation.conversation.text(block) for block in blocks.values())
