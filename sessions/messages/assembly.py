"""How the entries of a message array become the messages of a conversation, whatever their wire format."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from prune_mcp.sessions.identity import Numbering, digest, own_words, telling_words
from prune_mcp.sessions.messages.wire import Side, Wire
from prune_mcp.sessions.model import Block, Entry, Message


@dataclass(slots=True)
class Assembly:
    """Entries read as messages. `owner`: the message each entry belongs to (None: no message, kept in place).

    `sides`: whose each entry is. `answers`: the indexes of entries that answer an open call.
    """

    raw: Sequence[Any]
    owner: list[int | None] = field(default_factory=list)
    sides: list[Side | None] = field(default_factory=list)
    answers: set[int] = field(default_factory=set)
    messages: list[Message] = field(default_factory=list)
    entries: list[Entry] = field(default_factory=list)
    skipped: Counter[str] = field(default_factory=Counter)
    session_words: list[str] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class _Draft:
    """A message in the making, and what its id is built from."""

    message: Message
    entries: list[int] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    calls: list[str] = field(default_factory=list)


def assemble(wire: Wire, raw: Sequence[Any]) -> Assembly:
    """Read the entries of an array; what is no message is counted and stays where it is."""
    assembly = Assembly(raw)
    drafts = _Assembler(wire, assembly).run()
    _identify(drafts, assembly)
    assembly.messages = [draft.message for draft in drafts]
    return assembly


class _Assembler:
    """Groups entries into messages and matches results with the calls that are open before them."""

    def __init__(self, wire: Wire, assembly: Assembly) -> None:
        self.wire = wire
        self.assembly = assembly
        self.drafts: list[_Draft] = []
        self.open_calls: set[str] = set()
        self.tools: dict[str, str] = {}
        self.turn: _Draft | None = None
        self.answers: _Draft | None = None
        self.strays: _Draft | None = None

    def run(self) -> list[_Draft]:
        """The drafts in order, with `owner` and `sides` of the assembly filled."""
        for index, entry in enumerate(self.assembly.raw):
            side = self.wire.side(entry) if isinstance(entry, dict) else None
            self.assembly.sides.append(side)
            if side is None:
                self.assembly.skipped[_damage(entry)] += 1
            else:
                self._take(index, entry, side)
        self._own()
        return self.drafts

    def _take(self, index: int, entry: Any, side: Side) -> None:
        texts: list[str] = []
        blocks: list[Block] = []
        for piece in self.wire.pieces(entry):
            text = self.wire.text(piece.kind, piece.value)
            blocks.append(self.wire.block(index, piece, text))
            if piece.kind == "text":
                texts.append(text)
        answered = self._match(index, blocks)
        draft = self._place(side, answered, blocks)
        draft.entries.append(index)
        draft.message.blocks += blocks
        draft.texts += texts
        draft.calls += [f"{b.call_id} {b.tool}" for b in blocks if b.kind == "call"] + answered
        if side == "assistant":
            draft.message.stop = draft.message.stop or _stop(entry)

    def _match(self, index: int, blocks: Sequence[Block]) -> list[str]:
        """Name the tools of results; the ids of those that answer an open call."""
        answered = []
        for block in blocks:
            if block.kind == "result":
                block.tool = self.tools.get(block.call_id) or block.tool
                if block.call_id in self.open_calls:
                    self.open_calls.discard(block.call_id)
                    answered.append(block.call_id)
        if answered:
            self.assembly.answers.add(index)
        return answered

    def _place(self, side: Side, answered: Sequence[str], blocks: Sequence[Block]) -> _Draft:
        if side == "result":
            return self._result(answered, blocks)
        if side == "system":
            return self._new(Message("system", ""))
        self.answers = self.strays = None
        if side == "assistant":
            return self._assistant(blocks)
        if not self.wire.patient:
            self.open_calls.clear()
        self.turn = None
        return self._new(Message("user", "", prompt=_asks(answered, blocks)))

    def _assistant(self, blocks: Sequence[Block]) -> _Draft:
        if not self.wire.patient:
            self.open_calls.clear()
        for block in blocks:
            if block.kind == "call":
                self.open_calls.add(block.call_id)
                self.tools[block.call_id] = block.tool
        if self.turn is None or not self.wire.grouped:
            self.turn = self._new(Message("assistant", ""))
        return self.turn

    def _result(self, answered: Sequence[str], blocks: Sequence[Block]) -> _Draft:
        """Results of one run are one message; those without an open call are another one behind it."""
        self.turn = None
        if answered or not any(block.kind == "result" for block in blocks):
            if self.answers is None:
                self.answers = self._new(Message("user", ""), before=self.strays)
            return self.answers
        if self.strays is None:
            self.strays = self._new(Message("user", ""))
        self.strays.message.prompt |= _asks(answered, blocks)
        return self.strays

    def _new(self, message: Message, before: _Draft | None = None) -> _Draft:
        draft = _Draft(message)
        if message.role == "system":
            self.turn = None
        self.drafts.insert(self.drafts.index(before) if before else len(self.drafts), draft)
        return draft

    def _own(self) -> None:
        owner: list[int | None] = [None] * len(self.assembly.raw)
        for number, draft in enumerate(self.drafts):
            for index in draft.entries:
                owner[index] = number
        self.assembly.owner = owner


def _asks(answered: Sequence[str], blocks: Sequence[Block]) -> bool:
    """Whether a user message is a prompt: it answers no call.

    Results whose call is not open ask something too, unless they are empty: that is how they read once a note
    stands in their place, and the exchanges must be the same before and after.
    """
    stray = not blocks or any(block.kind != "result" or block.size or block.images for block in blocks)
    return stray and not answered


def _identify(drafts: Sequence[_Draft], assembly: Assembly) -> None:
    """Give messages and entries their ids.

    An id holds the prompt before it, so that dropping one exchange renumbers no equal message of another.
    """
    numbering = Numbering()
    anchor = ""
    ids = [""] * len(assembly.raw)
    for draft in drafts:
        message = draft.message
        words = own_words(draft.texts)
        opens = message.prompt and bool(words)
        before = "" if opens or message.role == "system" else anchor
        telling = telling_words(draft.texts)
        message.id = numbering.unique(digest([message.role, before], telling, draft.calls))
        if opens:
            anchor = message.id
            assembly.session_words = assembly.session_words or words
        _identify_entries(draft, ids)
    assembly.entries = [Entry(index, id or f"-{index}") for index, id in enumerate(ids)]


def _identify_entries(draft: _Draft, ids: list[str]) -> None:
    if len(draft.entries) == 1:
        ids[draft.entries[0]] = draft.message.id
        return
    numbering = Numbering()
    names = {block.place.entry: block.call_id or block.kind for block in reversed(draft.message.blocks)}
    for index in draft.entries:
        ids[index] = f"{draft.message.id}/{numbering.unique(names.get(index, ''))}"


def _damage(entry: Any) -> str:
    """What kind of thing stands where a message should."""
    if isinstance(entry, dict):
        return "not a message"
    return "null" if entry is None else type(entry).__name__


def _stop(entry: Any) -> str:
    reason = entry.get("stop_reason")
    return reason if isinstance(reason, str) else ""
