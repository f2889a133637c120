"""The messages in the model's context, put together from the entries of the active branch."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from prune_mcp.sessions.model import Block, Message
from prune_mcp.sessions.piece import Piece


class Layout:
    """Pieces in order, merged into messages.

    `order`: the entries of the branch in order, `owner`: the index of the message each one is part of (-1: it
    is not sent to the model). `group`: the response that a further piece could still be part of. `superseded`:
    entries of which a later snapshot tells everything.
    """

    def __init__(self, text: Callable[[Block], str]) -> None:
        self.messages: list[Message] = []
        self.order: list[int] = []
        self.owner: list[int] = []
        self.superseded: set[int] = set()
        self.group = ""
        self._open = -1
        self._text = text

    def extend(self, pieces: Iterable[Piece]) -> None:
        """Add pieces in order."""
        for piece in pieces:
            self.add(piece)

    def add(self, piece: Piece) -> None:
        """Add one piece: to its response's message where that is still open, else as a new message."""
        self.order.append(piece.entry)
        if piece.hidden:
            self.owner.append(-1)
        elif piece.group and piece.group == self.group:
            self._merge(piece)
        else:
            self._begin(piece)

    def join(self, entry: int, owner: int) -> None:
        """Note an entry that tells more about an earlier message."""
        self.order.append(entry)
        self.owner.append(owner)

    def _begin(self, piece: Piece) -> None:
        self.owner.append(len(self.messages))
        if piece.role == "assistant":
            self.group = piece.group
            self._open = len(self.messages)
        elif piece.prompt:
            self.group = ""
        self.messages.append(piece)

    def _merge(self, piece: Piece) -> None:
        whole = self.messages[self._open]
        blocks = merged(whole.blocks, piece.blocks, self._text)
        if len(blocks) < len(whole.blocks) + len(piece.blocks):
            self.superseded |= _entries(whole.blocks) - _entries(blocks)
        self.messages[self._open] = Message(whole.role, whole.id, blocks, stop=piece.stop or whole.stop)
        self.owner.append(self._open)


def merged(blocks: list[Block], added: list[Block], text: Callable[[Block], str]) -> list[Block]:
    """The blocks of a response with those of its next piece.

    A piece may be a snapshot of a response that was still streaming: a block that goes on with an earlier one
    (the same call, or text that begins with the earlier text) takes that one's place.
    """
    result = list(blocks)
    for at, block in enumerate(added):
        candidate = at if len(added) > 1 else len(blocks) - 1
        old = _same_call(result, block) if block.kind == "call" else candidate
        if 0 <= old < len(blocks) and _goes_on(result[old], block, text):
            result[old] = block
        else:
            result.append(block)
    return result


def _entries(blocks: list[Block]) -> set[int]:
    return {block.place.entry for block in blocks}


def _same_call(blocks: list[Block], call: Block) -> int:
    return next(
        (at for at, block in enumerate(blocks) if block.kind == "call" and block.call_id == call.call_id), -1
    )


def _goes_on(old: Block, new: Block, text: Callable[[Block], str]) -> bool:
    if old.kind != new.kind or old.place.entry == new.place.entry or old.chars > new.chars:
        return old.kind == new.kind == "call" and old.call_id == new.call_id
    if new.kind == "call":
        return old.call_id == new.call_id
    if new.kind not in ("text", "thinking"):
        return False
    start = text(old)
    # Blank text before the real one is a block of its own in every response of some models.
    return not start.isspace() and start != "" and text(new).startswith(start)
