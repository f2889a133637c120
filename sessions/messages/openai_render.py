"""A view of an OpenAI array: texts that belong to no entry stand in messages of their own, never between a call
and its results."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

from prune_mcp.sessions.messages.assembly import Assembly
from prune_mcp.sessions.messages.wire import edited_entries
from prune_mcp.sessions.view import View


class Edited(NamedTuple):
    """What stands for an entry in place, and what follows behind its message."""

    here: list[Any]
    behind: list[Any]


def render(
    assembly: Assembly, view: View, edit: Callable[[int], Edited], say: Callable[[str], Any]
) -> Iterator[Any]:
    """The entries with the view's edits. `edit` edits the entry at an index; `say` makes a user message."""
    if not view:
        yield from assembly.raw
        return
    held, last, edited = _held(assembly), _last_entries(assembly), edited_entries(view)
    yield from map(say, view.inserted.get(-1, ()))
    aside: list[Any] = []
    waiting: list[Any] = []
    for index, owner in enumerate(assembly.owner):
        here: list[Any] = [assembly.raw[index]]
        behind: list[Any] = []
        if owner is not None and owner in view.dropped:
            here = []
        elif index in edited:
            here, behind = edit(index)
        yield from here
        if owner is None:
            continue
        (aside if assembly.sides[index] == "assistant" else waiting).extend(behind)
        if index == last[owner]:
            yield from aside
            aside.clear()
            waiting += map(say, view.inserted.get(owner, ()))
        if index not in held:
            yield from waiting
            waiting.clear()


def _held(assembly: Assembly) -> set[int]:
    """The entries behind which results of calls still open come next: nothing may be put in between."""
    held = set()
    answered = False
    for index in range(len(assembly.raw) - 1, -1, -1):
        if answered:
            held.add(index)
        side = assembly.sides[index]
        if side == "result":
            answered = answered or index in assembly.answers
        elif side is not None and side != "system":
            answered = False
    return held


def _last_entries(assembly: Assembly) -> dict[int, int]:
    return {owner: index for index, owner in enumerate(assembly.owner) if owner is not None}
