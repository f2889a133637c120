"""What a view weighs: tokens before and after, and when an edit has paid for itself."""

from __future__ import annotations

from dataclasses import dataclass

from prune_mcp.pruning.purge import purged_size
from prune_mcp.pruning.render import Rendered, first_edit
from prune_mcp.pruning.situation import Situation
from prune_mcp.sessions.model import Block, Conversation
from prune_mcp.sessions.tokens import text_tokens, tokens

# The provider's prices as shares of an uncached input token: reading the cache, and writing it.
CACHE_READ = 0.1
CACHE_WRITE = 1.25


@dataclass(slots=True)
class Measure:
    """Estimated tokens of the raw context and of the view; `prefix` is what stands before the first edit."""

    before: int
    after: int
    prefix: int

    @property
    def break_even(self) -> float | None:
        """Later requests until what is saved has paid for writing the rest into the cache anew.

        The rest after the first edit is written (1.25) instead of read (0.1) once; each later request then
        reads `before - after` tokens less. None when nothing is saved.
        """
        saved = self.before - self.after
        if saved <= 0:
            return None
        rest = self.after - self.prefix
        return round(rest * (CACHE_WRITE - CACHE_READ) / (saved * CACHE_READ), 1)


def measure(situation: Situation, rendered: Rendered) -> Measure:
    """Weigh the raw context and the view."""
    view = rendered.view
    first = first_edit(situation, view)
    before = after = prefix = 0
    for index, message in enumerate(situation.conversation.messages):
        raw = sum(tokens(block.size, block.images) for block in message.blocks)
        before += raw
        if first is None or index < first:
            prefix += raw
        if index not in view.dropped:
            after += sum(_shown(situation, rendered, block) for block in message.blocks)
        after += sum(text_tokens(text) for text in view.inserted.get(index, ()))
    return Measure(before, after, prefix)


def raw_tokens(conversation: Conversation) -> int:
    """The estimated tokens of the messages as they came."""
    return sum(tokens(block.size, block.images) for message in conversation.messages for block in message.blocks)


def _shown(situation: Situation, rendered: Rendered, block: Block) -> int:
    view, place = rendered.view, block.place
    if place in view.texts:
        return text_tokens(view.texts[place])
    if place in view.notes:
        return text_tokens(view.notes[place])
    if place in view.stripped:
        return 0
    if place in view.arguments:
        text = situation.conversation.text(block)
        return tokens(purged_size(block, text, view.arguments[place]), block.images)
    return tokens(block.size, block.images)
