"""The messages in the model's context, put together from the entries of the active branch."""

from __future__ import annotations

from array import array
from collections.abc import Callable, Iterable

from prune_mcp.sessions.context import Context
from prune_mcp.sessions.fragment import Fragment
from prune_mcp.sessions.fragments import Fragments
from prune_mcp.sessions.ids import Ids
from prune_mcp.sessions.model import Block, Message


class Layout:
    """Fragments in order, merged into messages.

    `order`: the entries of the branch in order, `owner`: the index of the message each one is part of (-1: it
    is not sent to the model). `group`: the response that a further fragment could still be part of. `superseded`:
    entries of which a later snapshot tells everything.
    """

    def __init__(self, fragments: Fragments, ids: Ids, text: Callable[[Block], str]) -> None:
        self.messages = Context(fragments, ids)
        self.order = array("i")
        self.owner = array("i")
        self.superseded: set[int] = set()
        self.group = ""
        self._open = -1
        self._text = text

    def extend(self, fragments: Iterable[Fragment]) -> None:
        """Add fragments in order."""
        for fragment in fragments:
            self.add(fragment)

    def add(self, fragment: Fragment) -> None:
        """Add one fragment: to its response's message where that is still open, else as a new message."""
        self.order.append(fragment.entry)
        if fragment.hidden:
            self.owner.append(-1)
        elif fragment.group and fragment.group == self.group:
            self._merge(fragment)
        else:
            self._begin(fragment)

    def join(self, entry: int, owner: int) -> None:
        """Note an entry that tells more about an earlier message."""
        self.order.append(entry)
        self.owner.append(owner)

    def _begin(self, fragment: Fragment) -> None:
        self.owner.append(len(self.messages))
        if fragment.role == "assistant":
            self.group = fragment.group
            self._open = len(self.messages)
        elif fragment.prompt:
            self.group = ""
        self.messages.append(fragment)

    def _merge(self, fragment: Fragment) -> None:
        whole = self.messages[self._open]
        blocks = merged(whole.blocks, fragment.blocks, self._text)
        if len(blocks) < len(whole.blocks) + len(fragment.blocks):
            self.superseded |= _entries(whole.blocks) - _entries(blocks)
        self.messages[self._open] = Message(whole.role, whole.id, blocks, stop=fragment.stop or whole.stop)
        self.owner.append(self._open)


def merged(blocks: list[Block], added: list[Block], text: Callable[[Block], str]) -> list[Block]:
    """The blocks of a response with those of its next fragment.

    A fragment may be a snapshot of a response that was still streaming: a block that goes on with an earlier one
    (the same call, or text that begins with the earlier text) takes that one's place.
    """
    result = list(blocks)
    for at, block in enumerate(added):
        candidate = at if len(added) > 1 else len(blocks) - 1
        old = _same_call(blocks, block) if block.kind == "call" else candidate
        if 0 <= old < len(blocks) and result[old] is blocks[old] and _goes_on(blocks[old], block, text):
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
    if new.kind == "call":
        return old.kind == "call"
    if new.kind not in ("text", "thinking") or old.kind != new.kind or old.chars > new.chars:
        return False
    start = text(old)
    # Blank text before the real one is a block of its own in every response of some models.
    return start.strip() != "" and text(new).startswith(start)
