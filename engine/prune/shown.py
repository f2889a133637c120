"""The refs that a view shows, in order: of stubs, blocks, cut arguments and notes, new ones and standing ones."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from prune_mcp.pruning.orphans import noted_refs
from prune_mcp.pruning.purge import purged_ref
from prune_mcp.pruning.render import Rendered
from prune_mcp.pruning.situation import Situation
from prune_mcp.sessions.model import Block
from prune_mcp.storage.records import ChainBlock, Output


def shown_refs(situation: Situation, rendered: Rendered, outputs: Mapping[int, Output]) -> list[str]:
    """Every ref that the view shows, each once; `outputs` are all of the session by number."""
    by_text = {block.text: block for block in situation.blocks}
    refs: dict[str, None] = {}
    for index, message in enumerate(situation.conversation.messages):
        if index not in rendered.view.dropped:
            for block in message.blocks:
                refs.update((ref, None) for ref in _refs(situation, rendered, outputs, by_text, block))
        for text in rendered.view.inserted.get(index, ()):
            refs.update((ref, None) for ref in _block_refs(by_text[text]))
    return list(refs)


def _block_refs(block: ChainBlock) -> Iterator[str]:
    yield f"b{block.number}"
    yield from (f"t{ref}" for ref in block.refs)


def _refs(
    situation: Situation,
    rendered: Rendered,
    outputs: Mapping[int, Output],
    by_text: Mapping[str, ChainBlock],
    block: Block,
) -> Iterator[str]:
    view, place = rendered.view, block.place
    if place in view.stripped:
        return
    if place in view.notes:
        yield from noted_refs(view.notes[place], outputs)
    elif place in view.arguments:
        yield f"t{rendered.purged[place][0].ref}:args"
    elif place in situation.ours:
        yield from _block_refs(by_text[situation.conversation.text(block)])
    elif block.kind == "result" and place in situation.outputs:
        output = situation.outputs[place]
        if output.stub and (place in view.texts or situation.shows_stub(block, output)):
            yield f"t{output.ref}"
    elif not situation.conversation.path:
        yield from _sent_on(situation, outputs, block)


def _sent_on(situation: Situation, outputs: Mapping[int, Output], block: Block) -> Iterator[str]:
    """The refs of notes and cut arguments that an earlier view left among messages passed in."""
    if block.kind == "text":
        yield from noted_refs(situation.conversation.text(block), outputs)
    elif block.kind == "call" and block.place in situation.pairing.result_of:
        ref = f"t{situation.outputs[situation.pairing.result_of[block.place]].ref}:args"
        if purged_ref(situation.conversation.text(block), ref):
            yield ref
