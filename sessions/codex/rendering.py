"""How a view's edits look in the lines of a Codex rollout."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from operator import itemgetter
from typing import Any

from prune_mcp.sessions.codex.branch import CodexBranch
from prune_mcp.sessions.codex.fragments import Part, items_of, replacement
from prune_mcp.sessions.codex.items import ITEMS
from prune_mcp.sessions.codex.lines import line_of, with_payload
from prune_mcp.sessions.messages.openai_responses import lone_reasoning, with_arguments, with_output
from prune_mcp.sessions.messages.wire import RawEntry
from prune_mcp.sessions.model import Place
from prune_mcp.sessions.rendering import Raw, Rendering
from prune_mcp.sessions.view import View

# Lines have no links to mend.
NO_KEY = ""


class CodexRendering(Rendering):
    """A line holds one item; what a compaction left stands in its line, item by item."""

    id_key = NO_KEY
    parent_key = NO_KEY
    _branch: CodexBranch

    def entries(self) -> Iterator[Raw]:
        """The lines in order."""
        self._strip_lone_reasoning()
        layout = self._layout
        ends = {owner: at for at, owner in enumerate(layout.owner)}
        yield from self._before_all()
        at = 0
        for entry, run in groupby(zip(layout.order, layout.owner, strict=True), itemgetter(0)):
            owners = [owner for _, owner in run]
            at += len(owners)
            if parts := self._branch.compactions.get(entry):
                yield from self._compaction(entry, owners, parts)
            elif (owner := owners[0]) >= 0:
                yield from self._entry(entry, owner in self._view.dropped)
                if ends[owner] == at - 1:
                    yield from self._inserted(owner, entry)

    def _strip_lone_reasoning(self) -> None:
        """Strip reasoning too whose calls all become notes."""
        view = self._view
        if not view.notes:
            return
        lone = lone_reasoning(self._kinds(), view.notes)
        self._view = replace(view, stripped=view.stripped | lone)
        self._touched |= {place.entry for place in lone}

    def _kinds(self) -> Iterator[tuple[Place, str]]:
        """The place and type of every item that the model said; no type for any other."""
        for message in self._layout.messages:
            own = message.role == "assistant"
            for block in message.blocks:
                kind = {"thinking": "reasoning", "call": "function_call"}.get(block.kind, "message")
                yield block.place, kind if own else ""

    def _compaction(self, entry: int, owners: Sequence[int], parts: Sequence[Part]) -> Iterator[Raw]:
        """A compaction's line, in which everything stands that the view has of the messages it left."""
        raw = self._raw(entry)
        view = self._view
        if entry not in self._touched and not any(o in view.dropped or o in view.inserted for o in owners):
            self._last = raw
            yield raw
            return
        line = line_of(raw)
        payload = line.payload if line else {}
        owned = [owner for owner, part in zip(owners, parts, strict=True) for _ in range(part.blocks)]
        left = list(self._left(entry, owned, replacement(payload)))
        if left:
            self._last = with_payload(raw, {**payload, "replacement_history": left})
            yield self._last

    def _left(self, entry: int, owned: Sequence[int], items: Sequence[RawEntry]) -> Iterator[RawEntry]:
        """What is left of the messages of a compaction, with the texts that are put between; `owned`: the message
        that each of its blocks is part of."""
        at = 0
        for item in items:
            first, at = at, at + sum(1 for _ in ITEMS.pieces(item))
            owner = owned[at - 1] if at > first else -1
            if owner < 0:
                yield item
                continue
            if owner not in self._view.dropped and (edited := edit_item(item, entry, first, self._view)):
                yield edited
            if at == len(owned) or owned[at] != owner:
                yield from map(said, self._view.inserted.get(owner, ()))

    def edit(self, raw: Raw, entry: int, view: View) -> Raw | None:
        """See `Rendering.edit`."""
        line = line_of(raw)
        items = items_of(line) if line else []
        edited = edit_item(items[0], entry, 0, view) if items else None
        return None if edited is None else with_payload(raw, edited)

    def synthetic(self, text: str, pattern: Raw, digest: str, parent: Any) -> Raw:
        """See `Rendering.synthetic`."""
        if "payload" not in pattern:
            return said(text)
        time = {"timestamp": pattern["timestamp"]} if "timestamp" in pattern else {}
        return {**time, "type": "response_item", "payload": said(text)}


def said(text: str, role: str = "user") -> dict[str, Any]:
    """A message with this text."""
    part = "output_text" if role == "assistant" else "input_text"
    return {"type": "message", "role": role, "content": [{"type": part, "text": text}]}


def edit_item(item: RawEntry, entry: int, first: int, view: View) -> dict[str, Any] | None:
    """An item with the view's edits, or None where nothing of it is left; `first`: its first piece's position."""
    pieces = list(ITEMS.pieces(item))
    places = [Place(entry, first + at) for at in range(len(pieces))]
    if not pieces:
        return dict(item)
    place = places[0]
    if place in view.notes:
        return said(view.notes[place], "assistant" if ITEMS.side(item) == "assistant" else "user")
    if place in view.texts:
        return with_output(item, view.texts[place])
    if place in view.arguments:
        return with_arguments(item, view.arguments[place])
    stripped = {piece.at for piece, place in zip(pieces, places, strict=True) if place in view.stripped}
    if len(stripped) == len(pieces):
        return None
    if not stripped:
        return dict(item)
    return {**item, "content": [part for at, part in enumerate(item["content"]) if at not in stripped]}
