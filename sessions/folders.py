"""Folders as hosts keep their sessions in: what stands there, with what could not be looked at counted."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Callable, Iterator
from operator import attrgetter
from pathlib import Path

from prune_mcp.sessions.session_file import SessionFile


class Survey(Counter[str]):
    """Counts that also tell where was looked: which `folders` (missing ones too), each with the time of its change
    just before (`changed_at`), and which files were `empty`."""

    def __init__(self) -> None:
        super().__init__()
        self.folders: dict[str, int] = {}
        self.empty: list[str] = []


# What changes whenever the content of a file does, also where its time is coarse or was set back.
stamp_of: Callable[[os.stat_result], tuple[int, ...]] = attrgetter(
    "st_mtime_ns", "st_ctime_ns", "st_size", "st_ino"
)


def changed_at(path: str) -> int:
    """When a file, or what is in a folder, last changed, in nanoseconds since the epoch; 0 for a missing one."""
    try:
        # A Path takes longer to be made than the system takes to answer.
        return os.stat(path).st_mtime_ns  # noqa: PTH116
    except OSError:
        return 0


def entries(folder: str | Path, counts: Counter[str]) -> list[os.DirEntry[str]]:
    """What stands in a folder, by name; a missing folder holds nothing, a closed one counts as `folder`."""
    if isinstance(counts, Survey):
        place = str(folder)
        counts.folders[place] = changed_at(place)
    try:
        with os.scandir(folder) as found:
            return sorted(found, key=lambda entry: entry.name)
    except FileNotFoundError:
        return []
    except OSError:
        counts["folder"] += 1
        return []


def folders(root: str | Path, counts: Counter[str]) -> Iterator[os.DirEntry[str]]:
    """The folders in a folder, by name."""
    return (entry for entry in entries(root, counts) if is_folder(entry, counts))


def json_files(folder: str | Path, counts: Counter[str]) -> list[os.DirEntry[str]]:
    """The JSON files in a folder, by name."""
    return [entry for entry in entries(folder, counts) if entry.name.endswith(".json") and is_file(entry, counts)]


def is_folder(entry: os.DirEntry[str], counts: Counter[str] | None = None) -> bool:
    """Whether it is a folder, or leads to one; a link that cannot be followed is none, and counts as `folder`
    where there are `counts`: whoever takes it for a file else counts it as that."""
    try:
        return entry.is_dir()
    except OSError:
        if counts is not None:
            counts["folder"] += 1
        return False


def is_file(entry: os.DirEntry[str], counts: Counter[str]) -> bool:
    """Whether it is a file, or leads to one; a link that cannot be followed is none, and counts as `file`."""
    try:
        return entry.is_file()
    except OSError:
        counts["file"] += 1
        return False


def session_file(
    host: str, entry: os.DirEntry[str], named: str, project: str, counts: Counter[str]
) -> Iterator[SessionFile]:
    """The session file of an entry that has content; an empty one counts as `empty`, a lost one as `file`."""
    try:
        status = entry.stat()
    except OSError:
        counts["file"] += 1
        return
    if status.st_size:
        yield SessionFile(
            host, entry.path, status.st_mtime, status.st_size, named, project, stamp=stamp_of(status)
        )
    else:
        counts["empty"] += 1
        if isinstance(counts, Survey):
            counts.empty.append(entry.path)


def expanded(path: str, home: Path) -> Path:
    """A path that may begin with `~/`."""
    return home / path[2:] if path.startswith("~/") else Path(path)
