"""Files outside the store that nothing needs any more: kept searches that nobody pages through, catalogs set
aside, and what writers that were killed left behind."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from prune_mcp.engine.due.flush_state import FOLDER
from prune_mcp.engine.settings import RESOLVED
from prune_mcp.search.paths import Paths
from prune_mcp.storage.home import Home

DAY = 86_400.0
# How long ago a file was last written to, in seconds, before it counts as left behind.
SEARCH_AGE, WRITER_AGE, STATE_AGE = 7 * DAY, DAY, 30 * DAY

SEARCHES, CATALOGS, WRITERS = "kept searches older than a week", "catalogs set aside", "files of killed writers"
STATES = "sessions that nobody asked about pruning for a month"


@dataclass(frozen=True, slots=True)
class Litter:
    """One file that can go, `size` bytes large, and what it is."""

    what: str
    path: Path
    size: int


def litter(home: Home, now: float | None = None) -> list[Litter]:
    """The files that can go. `now`: seconds since the epoch."""
    found = []
    for what, path, least in _candidates(home):
        try:
            status = path.stat()
        except OSError:
            continue
        if (time.time() if now is None else now) - status.st_mtime >= least:
            found.append(Litter(what, path, status.st_size))
    return found


def remove(found: list[Litter]) -> int:
    """Take the files away; returns the bytes freed. One that another process has taken away is no error.

    Raises:
        OSError: one cannot be taken away.
    """
    freed = 0
    for each in found:
        try:
            each.path.unlink()
        except FileNotFoundError:
            continue
        freed += each.size
    return freed


def _candidates(home: Home) -> Iterator[tuple[str, Path, float]]:
    paths = Paths(home)
    for path in sorted(paths.searches.glob("*")):
        yield SEARCHES, path, WRITER_AGE if path.name.startswith(".") else SEARCH_AGE
    for path in sorted(paths.history.glob(f"{paths.catalog.name}.damaged-*")):
        yield CATALOGS, path, 0
    for path in sorted((home.cache / FOLDER).glob("*")):
        yield STATES, path, STATE_AGE
    for path in (*sorted(home.data.glob(f"{RESOLVED}?*")), paths.forgotten.with_suffix(".new")):
        yield WRITERS, path, WRITER_AGE
