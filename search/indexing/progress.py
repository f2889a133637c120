"""How an indexing goes on, what it came to, and when it is to stop."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True)
class Progress:
    """How far an indexing is.

    `done`, `total`: bytes of files. `seconds`: since it began. `file`: the one it is at.
    """

    done: int
    total: int
    seconds: float
    file: str

    @property
    def rate(self) -> float:
        """Bytes a second so far."""
        return self.done / self.seconds if self.seconds > 0 else 0.0

    @property
    def left(self) -> float:
        """Seconds to go, as it went so far; 0.0 as long as nothing is done."""
        return (self.total - self.done) / self.rate if self.rate else 0.0


@dataclass(slots=True)
class IndexReport:
    """What an indexing did.

    `busy`: who writes to the history instead, in a sentence; then nothing was done. `files`, `passages`, `bytes`
    (of the files): what was taken in. `skipped`: (path, reason) of the files that could not be read, or not to
    their ends. `left`: how many files are still to be indexed. `notes`: what was made good, a sentence each.
    """

    busy: str = ""
    files: int = 0
    passages: int = 0
    bytes: int = 0
    commits: int = 0
    seconds: float = 0.0
    left: int = 0
    skipped: list[tuple[str, str]] = field(default_factory=list)
    notes: list[str] = field(default_factory=list)


class Pace:
    """Tells of the progress, and when to stop: when `stop` says so."""

    def __init__(self, progress: Callable[[Progress], None] | None, stop: Callable[[], bool] | None) -> None:
        self._progress = progress
        self._stop = stop
        self._began = time.monotonic()
        self.total = self.done = 0

    @property
    def passed(self) -> float:
        """Seconds since it began."""
        return time.monotonic() - self._began

    def over(self) -> bool:
        """Whether it is time to stop."""
        return bool(self._stop and self._stop())

    def at(self, file: str, beyond: int = 0) -> None:
        """Tell that it is at this file, `beyond` bytes into it."""
        if self._progress:
            self._progress(Progress(min(self.done + beyond, self.total), self.total, self.passed, file))
