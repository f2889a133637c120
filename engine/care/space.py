"""How much of the disk prune-mcp takes, by what it is for, and what to say when that is more than the quota."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

from prune_mcp.storage.home import Home

# Of the quota, from which on it is said that it is nearly used up.
NEAR = 0.9
# Seconds for which a process that prunes again and again takes what it saw for true.
LOOK_AGAIN = 600.0

# SQLite makes such files only while a database is open.
PASSING = "-shm"

STORE, HISTORY, IMPORTS, INDEX, SEARCHES, OTHER = (
    *("archived outputs", "text of past sessions", "imported conversations"),
    *("search index", "kept searches", "other"),
)


@dataclass(frozen=True, slots=True)
class Space:
    """The bytes on disk of each part, the largest first, and the quota for all of them (0: none)."""

    parts: dict[str, int]
    quota: int = 0

    @property
    def total(self) -> int:
        """All parts together."""
        return sum(self.parts.values())

    @property
    def over(self) -> int:
        """By how many bytes the quota is exceeded."""
        return max(0, self.total - self.quota) if self.quota else 0

    @property
    def warning(self) -> str:
        """What to say of it, with what can be done; "" while there is room."""
        if not self.quota or self.total < NEAR * self.quota:
            return ""
        kept, quota = (f"{count / 1e6:,.1f} MB" for count in (self.total, self.quota))
        state = "more than" if self.over else "nearly all of"
        return (
            f"{kept} are kept on disk, {state} the {quota} that quota_bytes allows. Nothing goes by itself: "
            "`prune-mcp gc` takes away what nothing refers to, `prune-mcp gc --to-quota` the oldest sessions' "
            "outputs; both tell first with --dry-run."
        )


def space(home: Home, quota: int) -> Space:
    """What is kept on disk now. Files that come and go meanwhile are counted as they were seen."""
    parts: dict[str, int] = {}
    seen: set[Path] = set()
    for root, name in ((home.cache, _of_cache), (home.data, _of_data)):
        for path, size in _files(root, {home.config, *seen}):
            part = name(path.relative_to(root).parts[0])
            parts[part] = parts.get(part, 0) + size
        # Some systems put the cache into the data folder.
        seen.add(root)
    return Space(dict(sorted(parts.items(), key=lambda part: -part[1])), quota)


class QuotaWatch:
    """Tells the prunes of one process when the quota is used up; looks at the disk now and then."""

    def __init__(self, home: Home, quota: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._home = home
        self._quota = quota
        self._clock = clock
        self._looked = float("-inf")
        self._warning = ""

    def diagnostics(self) -> list[dict[str, object]]:
        """The diagnostic for a prune's answer, or none."""
        if self._quota and self._clock() - self._looked >= LOOK_AGAIN:
            self._looked = self._clock()
            self._warning = space(self._home, self._quota).warning
        if not self._warning:
            return []
        return [{"kind": "quota", "key": "quota_bytes", "detail": self._warning, "count": 1}]


def _files(folder: Path, without: set[Path]) -> Iterator[tuple[Path, int]]:
    try:
        with os.scandir(folder) as entries:
            found = list(entries)
    except OSError:
        return
    for entry in found:
        path = Path(entry.path)
        try:
            if entry.is_dir(follow_symlinks=False):
                if path not in without:
                    yield from _files(path, without)
            else:
                yield path, 0 if entry.name.endswith(PASSING) else entry.stat(follow_symlinks=False).st_size
        except OSError:
            # Another process took it away in between.
            continue


def _of_data(top: str) -> str:
    if top.startswith("store.db") or top == "bodies":
        return STORE
    return {"history": HISTORY, "imports": IMPORTS}.get(top, OTHER)


def _of_cache(top: str) -> str:
    return INDEX if top.startswith("index-") else SEARCHES if top == "searches" else OTHER
