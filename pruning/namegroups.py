"""Names in groups: files under their folder, then identifiers, ids and numbers, each group one labelled line.

What comes in great numbers and one form (ids of a log, values of a table) is told by its first and last ones and
a count: nobody goes on to use them all, and they would crowd out the rest.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

MANY = 24
HEAD, TAIL = 16, 4
LABELS = ("paths", "names", "ids", "numbers")

_DIGIT = re.compile(r"\d").search
_DIGITS = re.compile(r"(?<![A-Za-z0-9])[A-Za-z]*+\d[A-Za-z0-9]*+").sub
_PLACE = re.compile(r"(.*[^\d:]):(\d{1,6})").fullmatch
_NUMBER = re.compile(r"[\d._,+-]+").fullmatch
_ID = re.compile(r"(?=.*\d)(?:[0-9a-f]{7,}|[0-9A-F]{7,}|[0-9a-fA-F]{8}-[0-9a-fA-F-]{27})").fullmatch


@dataclass(slots=True)
class Thinned:
    """Names to print, and how many are left out."""

    names: list[str] = field(default_factory=list)
    omitted: int = 0


def thinned(names: Sequence[str], room: int) -> Thinned:
    """The names that `room` characters hold; of more than `MANY` of one form the first and last ones."""
    result = Thinned()
    for name in _fewer_alike(names) if len(names) > MANY else names:
        room -= len(name) + 1
        if room < 0:
            break
        result.names.append(name)
    result.omitted = len(names) - len(result.names)
    return result


def _fewer_alike(names: Sequence[str]) -> Sequence[str]:
    """The names, of each form only so many; a form is what is left without the parts that hold digits."""
    numbered = list(filter(_DIGIT, names))
    if len(numbered) <= MANY:
        return names
    alike: dict[str, list[str]] = {}
    for name, form in zip(numbered, _DIGITS("#", "\n".join(numbered)).split("\n"), strict=True):
        alike.setdefault(form, []).append(name)
    many = [members for members in alike.values() if len(members) > MANY]
    left_out = {name for members in many for name in members[HEAD:-TAIL]}
    return [name for name in names if name not in left_out]


def grouped(names: Iterable[str]) -> list[str]:
    """The names as labelled lines, in the order given within each group."""
    folders: dict[str, dict[str, list[str]]] = {}
    groups: dict[str, list[str]] = {label: [] for label in LABELS[1:]}
    for name in names:
        if "/" in name and "://" not in name:
            _file(folders, name)
        elif _NUMBER(name):
            groups["numbers"].append(name)
        else:
            groups["ids" if _ID(name) else "names"].append(name)
    lines = _folder_lines(folders)
    lines += [f"{label}: {' '.join(members)}" for label, members in groups.items() if members]
    return lines


def ungrouped(line: str) -> list[str]:
    """The names that one line of `grouped` says, whole again."""
    label, _, rest = line.partition(": ")
    found = []
    for member in rest.split():
        name = member if label in LABELS else f"{label}/{member}"
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


def _folder_lines(folders: dict[str, dict[str, list[str]]]) -> list[str]:
    """One line a folder; files alone in theirs, in the root, or in one named like a label share one line."""
    lines, whole = [], []
    for folder, files in folders.items():
        shown = [f"{name}:{','.join(places)}" if places else name for name, places in files.items()]
        if len(shown) == 1 or not folder or folder in LABELS:
            whole += [f"{folder}/{name}" for name in shown]
        else:
            lines.append(f"{folder}: {' '.join(shown)}")
    return [f"paths: {' '.join(whole)}", *lines] if whole else lines
