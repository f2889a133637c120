"""Commands that go on in the background: which one a later call asks for more of, and whether it has ended."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

from prune_mcp.pruning.activity.tools import polled_id
from prune_mcp.sessions.codex.status import printed

T = TypeVar("T")

# How hosts say at the start of an output that its command goes on, and under which name.
_STARTED = re.compile(
    r"^(?:Process running with session ID|Command running in background with ID:) (\w[\w-]*)", re.MULTILINE
)
_GOES_ON = re.compile(
    r"^(?:Process running with session ID|<status>running</status>|Script running)", re.MULTILINE
)
HEAD = 600


@dataclass(slots=True)
class Left(Generic[T]):
    """A command that was left running, the output that said so, whether the host says there already that the
    command failed, and all that it has printed."""

    command: T
    ref: int
    error: bool
    text: str


class Running(Generic[T]):
    """Commands that were left running, by the name that the host gave them."""

    def __init__(self) -> None:
        self._left: dict[str, Left[T]] = {}

    def starts(self, command: T, text: str, ref: int, error: bool) -> bool:
        """Whether a command whose output is t`ref` goes on after it; it is then waited for."""
        found = _STARTED.search(text[:HEAD])
        if found is None:
            return False
        self._left[found[1]] = Left(command, ref, error, printed(text))
        return True

    def goes_on(self, arguments: Any, text: str) -> tuple[Left[T] | None, bool]:
        """The command that a call asks for more of, and whether this output says that it has ended."""
        id = polled_id(arguments)
        left = self._left.get(id)
        if left is None:
            return None, False
        left.text = "\n".join(filter(None, (left.text, printed(text))))
        ended = bool(text) and _GOES_ON.search(text[:HEAD]) is None
        if ended:
            del self._left[id]
        return left, ended

    def unended(self) -> list[Left[T]]:
        """The commands of which no end was told."""
        return list(self._left.values())
