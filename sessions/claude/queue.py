"""What came into Claude Code's queue while the model worked, and then came up as a prompt, or never did."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import astuple, dataclass
from typing import Any

from prune_mcp.sessions.passage import Passage

# A queued text that no prompt repeated when so many more exchanges have begun stands nowhere else.
WAITS = 8


@dataclass(slots=True)
class _Waiting:
    passage: Passage
    left: int = WAITS


class Queue:
    """The queued texts that no prompt has repeated so far."""

    def __init__(self) -> None:
        self._waiting: list[_Waiting] = []

    def add(self, passages: Iterable[Passage]) -> None:
        """Take in what was queued."""
        self._waiting += map(_Waiting, passages)

    def repeated(self, passages: Iterable[Passage]) -> None:
        """Forget what a prompt repeats: it is told there. Several may become one prompt."""
        if self._waiting:
            said = [passage.text for passage in passages if passage.role in ("user", "machine")]
            self._waiting = [one for one in self._waiting if not any(one.passage.text in text for text in said)]

    def settle(self) -> list[Passage]:
        """An exchange has ended: what has waited long enough."""
        for one in self._waiting:
            one.left -= 1
        over = [one.passage for one in self._waiting if not one.left]
        self._waiting = [one for one in self._waiting if one.left]
        return over

    def pending(self) -> list[Passage]:
        """What still waits."""
        return [one.passage for one in self._waiting]

    def state(self) -> list[list[Any]]:
        """What waits, as JSON; `restore` takes it."""
        return [[one.left, *astuple(one.passage)] for one in self._waiting]

    def restore(self, state: list[list[Any]]) -> None:
        """Go on with what waited in another reading."""
        self._waiting = [_Waiting(Passage(*passage), left) for left, *passage in state]
