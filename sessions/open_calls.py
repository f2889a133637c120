"""The calls that wait for their results: each result learns from its call which tool it is of."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from prune_mcp.sessions.echoes import asks_us
from prune_mcp.sessions.fragment import Fragment
from prune_mcp.sessions.passage import Passage

# A call that was never answered is not kept for ever.
MOST = 256


@dataclass(slots=True)
class _Call:
    tool: str
    echo: bool
    answered: bool = False


class OpenCalls:
    """Calls by id. A call is known until the stretch ends in which it was answered."""

    def __init__(self, state: Iterable[tuple[str, str, bool]] = ()) -> None:
        self._calls = {id: _Call(tool, echo) for id, tool, echo in state}
        self._waiting: set[str] = set()

    @property
    def waiting(self) -> bool:
        """Whether a call of this stretch waits for its result."""
        return bool(self._waiting)

    def state(self) -> list[tuple[str, str, bool]]:
        """The calls that wait, for a later reading: id, tool, and whether it asks us."""
        return [(id, call.tool, call.echo) for id, call in self._calls.items() if not call.answered]

    def take(self, fragment: Fragment, passages: list[Passage]) -> None:
        """Take in the calls and results of an entry, and complete what its passages tell of them."""
        spoken = {passage.at: passage for passage in passages}
        for block in fragment.blocks:
            if block.kind == "call":
                passage = spoken.get(block.place.at)
                echo = passage is not None and asks_us(block.tool, passage.text)
                self._calls[block.call_id] = _Call(block.tool, echo)
                self._waiting.add(block.call_id)
                if passage:
                    passage.echo = echo
            elif block.kind == "result":
                self._answer(block.call_id, spoken.get(block.place.at))

    def _answer(self, id: str, passage: Passage | None) -> None:
        call = self._calls.get(id)
        self._waiting.discard(id)
        if call:
            call.answered = True
            if passage and passage.role == "result":
                passage.tool = passage.tool or call.tool
                passage.echo = call.echo

    def settle(self) -> None:
        """A stretch has ended: forget what was answered in it."""
        waiting = [(id, call) for id, call in self._calls.items() if not call.answered]
        self._calls = dict(waiting[-MOST:])
        self._waiting.clear()
