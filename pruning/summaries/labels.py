"""Labels: how a model says which item a part of its answer is about.

The prompt gives each item a label, `[[3:Bash]]`. A label counts only at the beginning of a line, and only if its
number and its name belong together; what stands under any other, or under none, is used for nothing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

NAME_LONGEST = 60

_LABEL = re.compile(r"\[\[ *(\d{1,6}) *: *([^\[\]\n]{0,200}?) *\]\]")
_DRESS = r"[ \t]*(?:>[ \t]*|#{1,6}[ \t]+|[-*+\u2022][ \t]+|\d{1,4}[.)][ \t]+)*[*_`]{0,3}"
_LEADING = re.compile(rf"{_DRESS}{_LABEL.pattern}[*_`]{{0,3}}[ \t]*(?:[:\u2013\u2014-](?=[ \t]))?[ \t]*")
_LOOKALIKE = re.compile(r"\[\[(?= *\d+ *:)").sub
_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})").match
_UNFIT = re.compile(r"[\s\[\]:]+").sub


@dataclass(slots=True)
class Labelled:
    """An answer by item: the texts by the item's number, counted from 0. `refused` labels fit no item."""

    texts: dict[int, str] = field(default_factory=dict)
    refused: int = 0


def label(number: int, name: str) -> str:
    """The label of item `number`, counted from 1."""
    return f"[[{number}:{_fit(name)}]]"


def unlabelled(text: str) -> str:
    """A text in which nothing passes for a label."""
    return _LOOKALIKE("[ [", text)


def labelled(answer: str, names: Sequence[str], within: Callable[[int], str]) -> Labelled:
    """An answer about items of these names, by item. A label inside a line gives way to `within` of the item, or
    to nothing where it fits none; inside code fences it stays."""
    found = Labelled()
    lines: dict[int, list[str]] = {}
    current: list[str] | None = None
    fence = ""
    for line in answer.split("\n"):
        mark = _FENCE(line)
        leading = None if fence else _LEADING.match(line)
        if mark and (not fence or mark[1].startswith(fence)):
            fence = "" if fence else mark[1]
        if leading:
            at = _item(leading, names)
            found.refused += at is None
            current = None if at is None else lines.setdefault(at, [])
            line = line[leading.end() :]
        if current is not None:
            current.append(line if fence or mark else _within(line, names, within))
    found.texts = {at: "\n".join(said) for at, said in lines.items()}
    return found


def _item(found: re.Match[str], names: Sequence[str]) -> int | None:
    """The item that a label names, if its number and its name belong together."""
    at = int(found[1]) - 1
    fits = 0 <= at < len(names) and _fit(names[at]).casefold() == _fit(found[2]).casefold()
    return at if fits else None


def _within(line: str, names: Sequence[str], within: Callable[[int], str]) -> str:
    def told(found: re.Match[str]) -> str:
        at = _item(found, names)
        return "" if at is None else within(at)

    return _LABEL.sub(told, line) if "[[" in line else line


def _fit(name: str) -> str:
    """A tool's name as it stands in a label."""
    return _UNFIT("_", name.strip())[:NAME_LONGEST]
