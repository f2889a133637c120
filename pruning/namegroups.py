"""Names in groups: files under their folder, all other names in one labelled line.

What comes in great numbers and one form (ids of a log, values of a table, files of a build) is told by its first
and last ones and a count: nobody goes on to use them all, and they would crowd out the rest.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

LABEL = "names"
# Of names that are alike so many are told; of more the first and last ones.
MANY, HEAD, TAIL = 24, 16, 4
# The same for the kinds that hardly anything later refers to: numbers, ids, addresses, files that tools fetch or
# make.
FEW, FEW_HEAD, FEW_TAIL = 5, 3, 1

_DIGITS = dict.fromkeys(map(ord, "0123456789"))
_HEX_DIGITS = dict.fromkeys(map(ord, "0123456789abcdefABCDEF"))
_PLACE = re.compile(r"(.*[^\d:]):(\d{1,6})").fullmatch
_MADE = ("node_modules/", "site-packages/", "vendor/", "deps/", "build/", "_build/", "dist/", "target/", ".git/")


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
    """The names, of each form and of each seldom kind only so many."""
    paths = [name for name in names if "/" in name]
    addresses = [path for path in paths if "://" in path]
    left_out = {*_inner(addresses), *_inner(_made(paths))}
    for form, members in _crowds(names).items():
        if not form.strip(".,+-"):
            left_out.update(_inner(list(filter(_is_number_or_id, members))))
        if len(members) > MANY:
            left_out.update(members[HEAD:-TAIL])
    return [name for name in names if name not in left_out] if left_out else names


def _made(paths: Sequence[str]) -> list[str]:
    """The paths of files that tools fetch or make; looks at each only if there are any."""
    together = "\n".join(paths)
    parts = [f"/{folder}" for folder in _MADE if folder in together]
    return [path for path in paths if any(part in f"/{path}" for part in parts)] if parts else []


def _crowds(names: Sequence[str]) -> dict[str, list[str]]:
    """The names with digits by form, where more than a few share one: what is left without hexadecimal digits."""
    numbered = [name for name, bare in zip(names, _without(_DIGITS, names), strict=True) if len(bare) < len(name)]
    forms = _without(_HEX_DIGITS, numbered)
    crowds: dict[str, list[str]] = {form: [] for form, count in Counter(forms).items() if count > FEW}
    if crowds:
        for name, form in zip(numbered, forms, strict=True):
            if form in crowds:
                crowds[form].append(name)
    return crowds


def _without(signs: Mapping[int, None], names: Sequence[str]) -> list[str]:
    """The names without these signs; one pass over all of them is many times faster than one each."""
    return "\n".join(names).translate(signs).split("\n") if names else []


def _is_number_or_id(bare: str) -> bool:
    """Whether a name of digits and signs is a number, or hexadecimal and longer than a colour."""
    return len(bare) > 6 or bare.upper() == bare.lower()


def _inner(kind: Sequence[str]) -> Sequence[str]:
    """Those of a seldom kind that are left out."""
    return kind[FEW_HEAD:-FEW_TAIL] if len(kind) > FEW else ()


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
    place = _PLACE(path) if path[-1].isdecimal() and ":" in path else None
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
