"""Headlines: one line on what kind of thing an output is and how much of it there is."""

from __future__ import annotations

import json
import re
from typing import Any

from prune_mcp.pruning.plain import plain

LONGEST = 200
JSON_LARGEST = 200_000

_HUNK = re.compile(r"^(?:\+\+\+ (?:b/)?([^\n\t]+)|([+-])(?![+-]{2} ))", re.MULTILINE).finditer
_COLUMN = re.compile(r"\s*[\"\w][^,;\t(){}]{0,40}\s*").fullmatch


def headline(text: str) -> str:
    """What the text is and its parts in one line of at most `LONGEST` characters: JSON with its keys, a table
    with its header, a diff with its files. Empty for anything else."""
    start = text[:1000].lstrip()
    if start[:1] in ("{", "["):
        return _json(text)
    if start.startswith(("diff ", "--- ", "Index: ")) or "\n@@ " in text[:2000]:
        return _diff(text)
    return _table(text)


def _json(text: str) -> str:
    if len(text) > JSON_LARGEST:
        return ""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return _json_lines(text)
    return f"json {_described(value)}"


def _json_lines(text: str) -> str:
    lines = text.strip().split("\n")
    try:
        first = json.loads(lines[0]) if len(lines) > 1 and lines[-1][:1] == "{" else None
    except (ValueError, RecursionError):
        return ""
    return f"{len(lines)} json lines, the first an {_described(first)}" if isinstance(first, dict) else ""


def _described(value: Any) -> str:
    """An object by its keys, an array by its length and what its first item is."""
    if isinstance(value, dict):
        return _cut("object: " + " ".join(f"{key}{_count(part)}" for key, part in value.items()))
    if isinstance(value, list):
        return f"array of {len(value)}" + (f", each an {_described(value[0])}" if value[:1] and value[0] else "")
    return type(value).__name__


def _count(value: Any) -> str:
    return f"[{len(value)}]" if isinstance(value, list) else ""


def _diff(text: str) -> str:
    files: dict[str, list[int]] = {}
    counts = [0, 0]
    for hit in _HUNK(text):
        if hit[1]:
            counts = files.setdefault(hit[1], [0, 0])
        else:
            counts[hit[2] == "-"] += 1
    changed = [f"{name} +{more} -{less}" for name, (more, less) in files.items()]
    return _cut(f"diff: {' '.join(changed)}") if changed else ""


def _table(text: str) -> str:
    """The header of a table: named columns, and as many commas, semicolons or tabs in the lines after it."""
    lines = text[:4000].split("\n", 6)[:4]
    for sign in "\t,;" if len(lines) == 4 else "":
        columns = lines[0].split(sign)
        if len(columns) > 2 and len(set(columns)) == len(columns) and all(map(_COLUMN, columns)):
            same = all(line.count(sign) == len(columns) - 1 for line in lines[1:])
            return _cut(f"table of {text.rstrip().count(chr(10))} rows: {lines[0].strip()}") if same else ""
    return ""


def _cut(line: str) -> str:
    line = " ".join(plain(line).split())
    return line if len(line) <= LONGEST else line[: LONGEST - 3] + "..."
