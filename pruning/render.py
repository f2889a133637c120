"""Render: from decisions to the edits of a view, phase by phase.

error purge -> stub-replace -> chain compression -> orphan sweep -> thinking, then the validity check.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from prune_mcp.pruning.orphans import orphan_text
from prune_mcp.pruning.purge import purges
from prune_mcp.pruning.resolve import Resolved, resolve
from prune_mcp.pruning.situation import Situation
from prune_mcp.pruning.thinking import NOWHERE, barrier, left_out, strip
from prune_mcp.pruning.validity import problems
from prune_mcp.sessions.model import Block, Place
from prune_mcp.sessions.view import View
from prune_mcp.storage.records import ChainBlock, Diagnostic, Output


@dataclass(slots=True)
class Rendered:
    """A view with what the caller must know of it.

    `purged`: the failed outputs whose arguments were shrunk, by the call's place, with the shown arguments.
    `thoughts`: thinking left out, by the index of its exchange's prompt.
    `bound`: edits held back since signed thinking of the open exchange stands after them (a count).
    """

    view: View
    resolved: Resolved
    purged: dict[Place, tuple[Output, Any]] = field(default_factory=dict)
    thoughts: dict[int, list[Block]] = field(default_factory=dict)
    bound: int = 0
    diagnostics: list[Diagnostic] = field(default_factory=list)


def render(situation: Situation, orphans: Mapping[Place, Output]) -> Rendered:
    """The view of the conversation under the decisions recorded so far.

    `orphans`: the archived record of each call without result (results have theirs in the situation). On a
    failed check the view is empty, and a diagnostic says why.
    """
    resolved = resolve(situation)
    rendered = Rendered(View(), resolved, diagnostics=list(resolved.diagnostics))
    rendered.purged = purges(situation, resolved.dropped)
    view = rendered.view
    view.arguments = {place: shown for place, (_, shown) in rendered.purged.items()}
    _stubs(situation, resolved.dropped, view)
    view.dropped = set(resolved.dropped)
    view.inserted = {start: [b.text for b in blocks] for start, blocks in resolved.inserted.items()}
    _sweep(situation, orphans, view)
    _cut(view, resolved.cut)
    return _finished(situation, rendered)


def sweep(situation: Situation, orphans: Mapping[Place, Output]) -> Rendered:
    """The view in which only orphans are edited, and thinking that no longer stands on its prefix."""
    rendered = Rendered(View(), Resolved())
    _sweep(situation, orphans, rendered.view)
    return _finished(situation, rendered)


def _finished(situation: Situation, rendered: Rendered) -> Rendered:
    _bind(situation, rendered)
    _strip(situation, rendered)
    wrong = problems(situation, rendered.view)
    if wrong:
        rendered.view, rendered.purged, rendered.thoughts = View(), {}, {}
        rendered.diagnostics.append(Diagnostic("invalid-view", wrong[0], f"original returned: {'; '.join(wrong)}"))
    return rendered


def _stubs(situation: Situation, dropped: set[int], view: View) -> None:
    for index, block, output in situation.results():
        if not output.stub or index in dropped or situation.shows_stub(block, output):
            continue
        if output.state != "superseded" and situation.protected(block):
            continue
        if not situation.in_grace(index, block):
            view.texts[block.place] = output.stub


def _sweep(situation: Situation, orphans: Mapping[Place, Output], view: View) -> None:
    pairing = situation.pairing
    for index, block in [*pairing.calls, *pairing.results]:
        output = orphans.get(block.place) or situation.outputs.get(block.place)
        if index in view.dropped or output is None:
            continue
        text = orphan_text(block, output, situation.conversation.text(block))
        if text:
            view.notes[block.place] = text
        else:
            view.stripped.add(block.place)


def _cut(view: View, places: Collection[Place]) -> None:
    """Leave out the results that a block stands for, whose messages stay."""
    for place in places:
        view.texts.pop(place, None)
        view.notes.pop(place, None)
    view.stripped.update(places)


def _bind(situation: Situation, rendered: Rendered) -> None:
    """Hold back every edit before the last signed thinking of the open exchange."""
    bar = barrier(situation)
    if bar == NOWHERE:
        return
    view = rendered.view
    before = {
        block.place
        for index, message in enumerate(situation.conversation.messages[: bar.message + 1])
        for number, block in enumerate(message.blocks)
        if (index, number) < bar
    }
    for edits in (view.texts, view.arguments, view.notes):
        for place in before & edits.keys():
            del edits[place]
            rendered.bound += 1
    for start in [start for start in view.inserted if start < bar.message]:
        del view.inserted[start]
        rendered.bound += 1
    view.stripped -= before
    view.dropped = {index for index in view.dropped if index > bar.message}
    rendered.purged = {place: pair for place, pair in rendered.purged.items() if place in view.arguments}


def _strip(situation: Situation, rendered: Rendered) -> None:
    """Take out thinking that no longer stands on its prefix, and say where it was."""
    view, resolved = rendered.view, rendered.resolved
    if situation.options.chain_compression.strip_final_assistant_thinking:
        for exchange in situation.exchanges:
            shown = {exchange.start, resolved.documented.get(exchange.start)}
            if exchange.final is not None and not shown.isdisjoint(view.inserted):
                blocks = situation.conversation.messages[exchange.final].blocks
                view.stripped.update(b.place for b in blocks if b.kind == "thinking")
    first = first_edit(situation, view)
    if first is not None:
        strip(situation, view, first)
    rendered.thoughts = left_out(situation, view, set(resolved.documented))
    _drop_emptied(situation, view)


def add_thoughts(view: View, start: int, block: ChainBlock) -> None:
    """Say after the prompt at `start` that the exchange's thinking is left out."""
    view.inserted.setdefault(start, []).append(block.text)


def first_edit(situation: Situation, view: View) -> int | None:
    """The index of the first message that the view changes, if any; what is inserted stands after its message."""
    edited = set(view.texts) | set(view.arguments) | set(view.notes) | view.stripped
    indexes = [*view.dropped, *(start + 1 for start in view.inserted)]
    if edited:
        for index, message in enumerate(situation.conversation.messages):
            if any(block.place in edited for block in message.blocks):
                indexes.append(index)
                break
    return min(indexes, default=None)


def _drop_emptied(situation: Situation, view: View) -> None:
    """A message of which nothing is left goes as a whole."""
    if not view.stripped:
        return
    for index, message in enumerate(situation.conversation.messages):
        places = {block.place for block in message.blocks}
        if index not in view.dropped and places and places <= view.stripped:
            view.dropped.add(index)
            view.stripped -= places
