"""What the index does not cover yet: files that are new or have changed, to be scanned meanwhile."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from prune_mcp.search.catalog.snapshot import Key
from prune_mcp.search.indexing.forgotten import Forgotten
from prune_mcp.search.rows import IndexView, PlaceRow, SourceRecord
from prune_mcp.sessions.history import Mark
from prune_mcp.sessions.session_file import SessionFile

# A file written to within so many seconds, of which fewer bytes are not in, is scanned meanwhile: else a growing
# transcript would make a segment of every few lines.
FRESH_SECONDS = 120.0
SMALL_BYTES = 1 << 16
# A file that nobody has written to for so long is taken as it is, also what could still have changed in it.
QUIET_SECONDS = 300.0


@dataclass(frozen=True, slots=True)
class Pending:
    """A file that the index does not hold as it is now.

    `mark`: where the index ends in it, None where it holds nothing; give it to `read_history`. If that is fresh
    then, the rows of `number` are void; else `passages()` and `rest()` come after them, and may tell the last of
    them (same entry and place) again, as they are now. `size`: how many bytes are not covered, `grown`: how many
    came after the last indexing.
    """

    file: SessionFile
    mark: Mark | None
    number: int | None
    size: int
    grown: int = 0


def worth_indexing(one: Pending, now: float) -> bool:
    """Whether to bring this in now: it is large, or no longer written to. `now`: seconds since the epoch."""
    quiet = abs(now - one.file.mtime)
    # Where nothing was added, all that may be kept is in; what is left may still change.
    return one.grown >= SMALL_BYTES or quiet > (FRESH_SECONDS if one.grown else QUIET_SECONDS)


def due_bytes(waiting: Iterable[Pending], now: float) -> int:
    """How many bytes of these an indexing would try to bring in now (seconds since the epoch)."""
    return sum(one.size for one in waiting if worth_indexing(one, now))


def as_moved(view: IndexView, pending: Iterable[Pending]) -> IndexView:
    """The view with the sources that moved since under their new paths: their sessions are among the new files."""
    new = {(each.file.host, each.file.id): each.file for each in pending if view.sources and each.number is None}
    moved = {
        number: one._replace(path=file.filename, inside=file.inside, project=file.project, gone=False)
        for number, one in (view.sources.items() if new else ())
        if (file := new.get((one.host, one.session))) and not Path(one.path).exists()
    }
    return replace(view, sources={**view.sources, **moved}) if moved else view


class Uncovered:
    """Finds what an index does not cover as it is at one moment, and remembers what it does.

    `sources`: the live ones. `skipped`: the stamps of files that cannot be read. `states`: finds the states of
    marks by the sources' numbers. Who watches files tells the very same objects again, in the very same list, as
    long as they have not changed.
    """

    def __init__(
        self,
        sources: Iterable[SourceRecord | PlaceRow],
        skipped: Mapping[Key, tuple[int, ...]],
        states: Callable[[Sequence[int]], Mapping[int, str]],
        forgotten: Forgotten,
    ) -> None:
        self._sources = {source.place: source for source in sources}
        self._skipped = skipped
        self._states = states
        self._forgotten = forgotten
        # By their `id`.
        self._covered: dict[int, SessionFile] = {}
        # What was asked about last, and whether all of it is covered.
        self._last: Sequence[SessionFile] = ()
        self._whole = False

    def of(self, files: Sequence[SessionFile]) -> list[Pending]:
        """The files that are not covered, in their order; without those that cannot be read, or were forgotten.

        Raises:
            StoreError: the catalog, or what was forgotten, cannot be read.
        """
        if files is self._last and self._whole:
            return []
        self._forgotten.refresh()
        if len(self._covered) > 2 * len(files):
            self._covered = {}
        covered = self._covered
        waiting = [file for file in files if covered.get(id(file)) is not file and self._waits(file)]
        if files is not self._last:
            self._last, self._whole = files, all(covered.get(id(file)) is file for file in files)
        found = [(file, self._sources.get(file.place)) for file in waiting]
        begun = [source.number for _, source in found if source and source.position]
        states = self._states(begun) if begun else {}
        return [_pending(file, source, states) for file, source in found]

    def _waits(self, file: SessionFile) -> bool:
        source = self._sources.get(file.place)
        if source and source.stamp == file.stamp and not source.waiting:
            self._covered[id(file)] = file
            return False
        skipped = self._skipped.get(file.place) == file.stamp
        return not skipped and (source is not None or not self._forgotten.holds(file))


def _pending(file: SessionFile, source: SourceRecord | PlaceRow | None, states: Mapping[int, str]) -> Pending:
    if source is None:
        return Pending(file, None, None, file.size, file.size)
    # How many bytes were there at the last indexing.
    seen = source.waiting or source.position
    grown = file.size - seen if file.size >= seen else file.size
    if source.number not in states:
        return Pending(file, None, source.number, file.size, grown)
    mark = Mark(source.position, source.stamp, states[source.number])
    size = file.size - mark.position if file.size >= mark.position else file.size
    return Pending(file, mark, source.number, size, grown)
