"""What a view weighs: tokens before and after, the refs it shows, and when an edit has paid for itself."""

from __future__ import annotations

from dataclasses import dataclass

from prune_mcp.pruning.purge import purged_size
from prune_mcp.pruning.render import Rendered, first_edit
from prune_mcp.pruning.situation import Situation
from prune_mcp.sessions.model import Block, Place
from prune_mcp.sessions.tokens import text_tokens, tokens
from prune_mcp.sessions.view import View
from prune_mcp.storage.records import ChainBlock, Output

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


def shown_refs(situation: Situation, rendered: Rendered, orphans: dict[Place, Output]) -> list[str]:
    """Every ref that the view shows, in order, each once."""
    refs: dict[str, None] = {}
    view = rendered.view
    by_text = {block.text: block for block in situation.blocks}
    numbers = {block.number: block for block in situation.blocks}
    for index, message in enumerate(situation.conversation.messages):
        if index not in view.dropped:
            for block in message.blocks:
                if block.place in situation.ours:
                    _add_block(refs, numbers[situation.ours[block.place]])
                else:
                    _add(refs, situation, view, rendered, orphans, block)
        for text in view.inserted.get(index, ()):
            _add_block(refs, by_text[text])
    return list(refs)


def _add_block(refs: dict[str, None], block: ChainBlock) -> None:
    refs[f"b{block.number}"] = None
    refs.update((f"t{ref}", None) for ref in block.refs)


def _add(
    refs: dict[str, None],
    situation: Situation,
    view: View,
    rendered: Rendered,
    orphans: dict[Place, Output],
    block: Block,
) -> None:
    place = block.place
    if place in view.notes:
        output = orphans.get(place) or situation.outputs[place]
        if f"t{output.ref}:" in view.notes[place]:
            refs[f"t{output.ref}:args" if block.kind == "call" else f"t{output.ref}"] = None
    elif block.kind == "call" and place in view.arguments:
        refs[f"t{rendered.purged[place][0].ref}:args"] = None
    elif block.kind == "result":
        archived = situation.outputs.get(place)
        if archived is not None and archived.stub and (place in view.texts or _is_stub(situation, block, archived)):
            refs[f"t{archived.ref}"] = None


def _is_stub(situation: Situation, block: Block, output: Output) -> bool:
    return block.chars == len(output.stub) and situation.conversation.text(block) == output.stub
