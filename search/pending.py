"""What the index does not cover yet: files that are new or have changed, to be scanned meanwhile."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from prune_mcp.search.catalog import Key, Snapshot
from prune_mcp.search.forgotten import Forgotten
from prune_mcp.search.rows import SourceRecord
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


def by_place(sources: Mapping[int, SourceRecord]) -> dict[Key, SourceRecord]:
    """The sources by path and inside."""
    return {(record.path, record.inside): record for record in sources.values()}


def pending(
    files: Iterable[SessionFile],
    placed: Mapping[Key, SourceRecord],
    snapshot: Snapshot,
    forgotten: Forgotten,
    covered: dict[int, SessionFile],
) -> list[Pending]:
    """The files that are not covered, in the order given; without those that cannot be read, or were forgotten.

    `covered`: by their `id`, files that this snapshot is known to cover; it learns of more. Who watches files
    tells the very same objects again as long as they have not changed.
    """
    found = []
    waiting, skipped = snapshot.waiting, snapshot.skipped
    for file in files:
        if covered.get(id(file)) is file:
            continue
        key = file.place
        record = placed.get(key)
        if record is None:
            if skipped.get(key) != file.stamp and not forgotten.holds(file):
                found.append(Pending(file, None, None, file.size, file.size))
        elif (record.mark.stamp != file.stamp or record.number in waiting) and skipped.get(key) != file.stamp:
            found.append(_rest(file, record, waiting.get(record.number, record.mark.position)))
        elif record.mark.stamp == file.stamp:
            covered[id(file)] = file
    return found


def _rest(file: SessionFile, record: SourceRecord, seen: int) -> Pending:
    """What is pending of a file of which `seen` bytes were there at the last indexing."""
    position = record.mark.position
    grown = file.size - seen if file.size >= seen else file.size
    if not position:
        return Pending(file, None, record.number, file.size, grown)
    size = file.size - position if file.size >= position else file.size
    return Pending(file, record.mark, record.number, size, grown)
