"""Names in groups: files under their folder, all other names in one labelled line.

What comes in great numbers and one form (ids of a log, values of a table, files of a build) is told by its first
and last ones and a count: nobody goes on to use them all, and they would crowd out the rest.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

LABEL = "names"
# Of names that are alike so many are told; of more the first and last ones.
MANY, HEAD, TAIL = 24, 16, 4
# The same for the kinds that hardly anything later refers to.
FEW, FEW_HEAD, FEW_TAIL = 5, 3, 1

_DIGIT = re.compile(r"\d").search
_DIGITS = re.compile(r"(?<![A-Za-z0-9])[A-Za-z]*+\d[A-Za-z0-9]*+").sub
_PLACE = re.compile(r"(.*[^\d:]):(\d{1,6})").fullmatch
# Numbers, ids, addresses, and the files that tools fetch or make.
_SELDOM = re.compile(
    r"(?P<number>[\d._,+-]+$)"
    r"|(?P<id>(?=.*\d)(?:[0-9a-f]{7,}|[0-9A-F]{7,}|[0-9a-fA-F]{8}-[0-9a-fA-F-]{27})$)"
    r"|(?P<address>[a-z][a-z+.-]*://)"
    r"|(?P<made>(?:.*/)?(?:node_modules|site-packages|vendor|deps|_?build|dist|target|\.git)/)"
).match


@dataclass(slots=True)
class Thinned:
    """Names to print, and how many are left out."""

    names: list[str] = field(default_factory=list)
    omitted: int = 0


def thinned(names: Sequence[str], room: int) -> Thinned:
    """The names that `room` characters hold, in order; of many alike the first and last ones.

    Where not all fit, the shortest do: to the character they are the most often used.
    """
    kept = _fewer_alike(names) if len(names) > FEW else names
    if sum(map(len, kept)) + len(kept) > room:
        kept = _shortest(kept, room)
    return Thinned(list(kept), len(names) - len(kept))


def _shortest(names: Sequence[str], room: int) -> Sequence[str]:
    chosen: set[str] = set()
    for name in sorted(names, key=len):
        room -= len(name) + 1
        if room < 0:
            break
        chosen.add(name)
    return [name for name in names if name in chosen]


def _fewer_alike(names: Sequence[str]) -> Sequence[str]:
    """The names, of each seldom kind and of each form only so many."""
    seldom: dict[str, list[str]] = {}
    numbered: list[str] = []
    for name in names:
        if hit := _SELDOM(name):
            seldom.setdefault(hit.lastgroup or "", []).append(name)
        elif _DIGIT(name):
            numbered.append(name)
    left_out = {name for members in seldom.values() if len(members) > FEW for name in members[FEW_HEAD:-FEW_TAIL]}
    if len(numbered) > MANY:
        left_out.update(name for form in _forms(numbered) if len(form) > MANY for name in form[HEAD:-TAIL])
    return [name for name in names if name not in left_out] if left_out else names


def _forms(names: Sequence[str]) -> Iterable[list[str]]:
    """The names by what is left of each without the parts that hold digits."""
    alike: dict[str, list[str]] = {}
    for name, form in zip(names, _DIGITS("#", "\n".join(names)).split("\n"), strict=True):
        alike.setdefault(form, []).append(name)
    return alike.values()


def grouped(names: Iterable[str]) -> list[str]:
    """The names in lines: a line for each folder of several files, before them one labelled line of all others."""
    folders: dict[str, dict[str, list[str]]] = {}
    others: list[str] = []
    for name in names:
        if "/" in name and "://" not in name:
            _file(folders, name)
        else:
            others.append(name)
    whole, lines = _folder_lines(folders)
    whole += others
    return [f"{LABEL}: {' '.join(whole)}", *lines] if whole else lines


def ungrouped(line: str) -> list[str]:
    """The names that one line of `grouped` says, whole again."""
    label, _, rest = line.partition(": ")
    found = []
    for member in rest.split():
        name = member if label == LABEL else f"{label}/{member}"
        base, _, places = name.rpartition(":")
        if "," in places and base:
            found += [f"{base}:{place}" for place in places.split(",")]
        else:
            found.append(name)
    return found


def _file(folders: dict[str, dict[str, list[str]]], path: str) -> None:
    """Put a path, or a place in a file, under its folder."""
    place = _PLACE(path)
    folder, _, name = (place[1] if place else path).rpartition("/")
    places = folders.setdefault(folder, {}).setdefault(name, [])
    if place:
        places.append(place[2])


def _folder_lines(folders: dict[str, dict[str, list[str]]]) -> tuple[list[str], list[str]]:
    """The files alone in their folder, in the root, or in a folder named like the label; a line for each other
    folder."""
    lines, whole = [], []
    for folder, files in folders.items():
        shown = [f"{name}:{','.join(places)}" if places else name for name, places in files.items()]
        if len(shown) == 1 or not folder or folder == LABEL:
            whole += [f"{folder}/{name}" for name in shown]
        else:
            lines.append(f"{folder}: {' '.join(shown)}")
    return whole, lines
