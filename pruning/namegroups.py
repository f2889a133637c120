"""Names in groups: files under their folder, then identifiers, ids and numbers, each group one labelled line."""

from __future__ import annotations

import re
from collections.abc import Iterable

_PLACE = re.compile(r"(.*[^\d:]):(\d{1,6})(?::\d{1,4})?").fullmatch
_NUMBER = re.compile(r"[\d._,+-]+").fullmatch
_ID = re.compile(r"(?=.*\d)(?:[0-9a-f]{7,}|[0-9A-F]{7,}|[0-9a-fA-F]{8}-[0-9a-fA-F-]{27})").fullmatch
_FILE = re.compile(r"[^:]*\w\.[A-Za-z][A-Za-z0-9]{0,5}").fullmatch


def grouped(names: Iterable[str]) -> list[str]:
    """The names as labelled lines, in order of first occurrence within each group."""
    folders: dict[str, dict[str, list[str]]] = {}
    groups: dict[str, list[str]] = {"names": [], "ids": [], "numbers": []}
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


def _file(folders: dict[str, dict[str, list[str]]], path: str) -> None:
    """Put a path, or a place in a file, under its folder."""
    place = _PLACE(path)
    folder, _, name = (place[1] if place else path).rpartition("/")
    places = folders.setdefault(folder or "/", {}).setdefault(name, [])
    if place:
        places.append(place[2])


def _folder_lines(folders: dict[str, dict[str, list[str]]]) -> list[str]:
    """One line a folder; folders with a single file share one line of whole paths."""
    lines, single = [], []
    for folder, files in folders.items():
        shown = [f"{name}:{','.join(places)}" if places else name for name, places in files.items()]
        if len(shown) == 1:
            single.append(f"{folder.rstrip('/')}/{shown[0]}")
        else:
            lines.append(f"{folder}: {' '.join(shown)}")
    return [f"paths: {' '.join(single)}", *lines] if single else lines
