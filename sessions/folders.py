"""Folders as hosts keep their sessions in: what stands there, with what could not be looked at counted."""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from prune_mcp.sessions.session_file import SessionFile


def entries(folder: str | Path, counts: Counter[str]) -> list[os.DirEntry[str]]:
    """What stands in a folder, by name; a missing folder holds nothing, a closed one counts as `folder`."""
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
    return (entry for entry in entries(root, counts) if entry.is_dir())


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
        stamp = status.st_mtime_ns, status.st_ino
        yield SessionFile(host, Path(entry.path), status.st_mtime, status.st_size, named, project, stamp=stamp)
    else:
        counts["empty"] += 1


def expanded(path: str, home: Path) -> Path:
    """A path that may begin with `~/`."""
    return home / path[2:] if path.startswith("~/") else Path(path)
