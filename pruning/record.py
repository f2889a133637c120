"""The record after a compaction: what the person wrote before it, word for word, in limited room.

The first ask, the latest ask and the latest input always stand in it; the rest comes newest first, as far as there
is room. Who reads on finds the others by their refs.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from prune_mcp.pruning.plain import counted

LIMIT = 20_000
# Of a text that is too long the beginning and, with this share of what is shown, the end.
END_SHARE = 4
# What says what of a cut text is missing, and what says which inputs are.
_GAP_CHARS, _REST_CHARS = 120, 200


@dataclass(frozen=True, slots=True)
class Input:
    """Something the person wrote: an ask, or an answer to a question. `ref` is the entry as `history_read` takes
    it, `time` when, as it is told."""

    kind: Literal["ask", "answer"]
    ref: str
    text: str
    time: str = ""


@dataclass(frozen=True, slots=True)
class Shown:
    """An input as it stands in the record: whole, or without the `missing` characters in its middle."""

    input: Input
    text: str
    missing: int = 0


@dataclass(frozen=True, slots=True)
class Record:
    """The record: its text, what of the inputs it shows, and those that it leaves out, all in order."""

    text: str
    shown: list[Shown]
    omitted: list[Input]


def record(inputs: Sequence[Input], head: str, limit: int = LIMIT) -> Record:
    """The record of these inputs, under the line `head`, in at most `limit` characters."""
    always = _always(inputs)
    room = limit - len(head) - _REST_CHARS
    chosen = _fitted([inputs[number] for number in always], room)
    shown = dict(zip(always, chosen, strict=True))
    room -= sum(map(_weight, chosen))
    for number in range(len(inputs) - 1, -1, -1):
        whole = Shown(inputs[number], inputs[number].text)
        if number not in shown and _weight(whole) <= room:
            shown[number] = whole
            room -= _weight(whole)
    omitted = [each for number, each in enumerate(inputs) if number not in shown]
    kept = [shown[number] for number in sorted(shown)]
    return Record("\n".join([head, *map(_item, kept), *_rest(omitted)]), kept, omitted)


def _always(inputs: Sequence[Input]) -> list[int]:
    """The numbers of the first ask, the latest ask and the latest input."""
    asks = [number for number, each in enumerate(inputs) if each.kind == "ask"]
    return sorted({*asks[:1], *asks[-1:], *range(len(inputs))[-1:]})


def _fitted(inputs: Sequence[Input], room: int) -> list[Shown]:
    """The inputs in this room: each whole, or cut to its share of what shorter ones leave."""
    fitted: dict[int, Shown] = {}
    by_size = sorted(range(len(inputs)), key=lambda number: len(inputs[number].text))
    for place, number in enumerate(by_size):
        shown = _cut(inputs[number], room // (len(inputs) - place))
        fitted[number] = shown
        room -= _weight(shown)
    return [fitted[number] for number in range(len(inputs))]


def _cut(each: Input, room: int) -> Shown:
    whole = Shown(each, each.text)
    spare = room - (_weight(whole) - len(each.text))
    if len(each.text) <= spare:
        return whole
    spare = max(spare - _GAP_CHARS, 0)
    end = spare // END_SHARE
    begin = spare - end
    missing = len(each.text) - spare
    gap = f"\n[... {missing:,} characters left out: history_read {each.ref} offset={begin} ...]\n"
    return Shown(each, each.text[:begin] + gap + each.text[len(each.text) - end :], missing)


def _weight(shown: Shown) -> int:
    return len(_item(shown)) + 1


def _item(shown: Shown) -> str:
    """An input under a line that says what it is and how many characters follow, so that no text can pass for the
    next one."""
    each = shown.input
    time = f" {each.time}" if each.time else ""
    return f"--- {each.kind} {each.ref}{time} chars={len(shown.text)}\n{shown.text}"


def _rest(omitted: Sequence[Input]) -> list[str]:
    if not omitted:
        return []
    chars = sum(len(each.text) for each in omitted)
    inputs = counted(len(omitted), "input")
    return [f"--- left out: {inputs} ({chars:,} characters), which history_search and history_read bring back"]
