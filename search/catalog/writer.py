"""The catalog as its one writer changes it, a transaction at a time."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, NamedTuple

from prune_mcp.search.catalog.file import CatalogFile
from prune_mcp.search.catalog.schema import DEAD
from prune_mcp.search.catalog.snapshot import STATES, Key, skipped_in, unreadable
from prune_mcp.search.catalog.source import COLUMNS, Source, row_of, source_from, stamp_from
from prune_mcp.search.rows import PlaceRow
from prune_mcp.sessions.session_file import SessionFile
from prune_mcp.storage.failures import Failures
from prune_mcp.storage.rows import given, kept, restored


class FrameRow(NamedTuple):
    """A frame in the catalog. `start`, `length`: bytes in the shard's pack. `bytes`: of its texts."""

    shard: str
    start: int
    length: int
    source: int
    first: int
    passages: int
    bytes: int


@dataclass(frozen=True, slots=True)
class PackRow:
    """A pack in the catalog: `size` bytes of it are good."""

    shard: str
    generation: int
    size: int


class CatalogWriter(CatalogFile):
    """What is written in the catalog: sources, frames, packs, segments, tools, and files that cannot be read."""

    def sources(self, where: str = "1", values: Sequence[Any] = ()) -> list[Source]:
        """The sources that a condition holds for."""
        with self._made_out():
            return [source_from(row) for row in self.rows(f"SELECT {COLUMNS} FROM sources WHERE {where}", values)]

    def numbered(self, numbers: Iterable[int]) -> list[Source]:
        """The sources of these numbers."""
        return [source for number in numbers for source in self.sources("number = ?", (number,))]

    def places(self) -> list[PlaceRow]:
        """Where all sources stand that are not dead."""
        columns = ", ".join(PlaceRow._fields)
        rows = map(restored, self.rows(f"SELECT {columns} FROM sources WHERE status != {DEAD}"))
        with self._made_out():
            return [PlaceRow(stamp_from(stamp), *others) for stamp, *others in rows]

    def states(self, numbers: Sequence[int]) -> dict[int, str]:
        """The states of these sources' marks."""
        return {number: given(state) for number, state in self.rows(STATES, (self.version, json.dumps(numbers)))}

    def source_at(self, file: SessionFile, status: int) -> Source | None:
        """The source of this file with this status, if there is one."""
        where = "path = ? AND inside = ? AND status = ? ORDER BY number DESC LIMIT 1"
        found = self.sources(where, (kept(file.filename), kept(file.inside), status))
        return found[0] if found else None

    def put_sources(self, sources: Iterable[Source], version: int) -> None:
        """Keep sources as they are now."""
        marks = ", ".join("?" * (COLUMNS.count(",") + 2))
        put = f"INSERT OR REPLACE INTO sources ({COLUMNS}, changed) VALUES ({marks})"
        for source in sources:
            self._connection.execute(put, (*row_of(source), version))
            self._connection.execute("UPDATE state SET next_source = max(next_source, ?)", (source.number + 1,))

    def put_damage(self, sources: Iterable[Source]) -> None:
        """Keep what could not be read of those sources that were read."""
        for source in sources:
            if source.damage is not None:
                self._connection.execute("DELETE FROM damage WHERE source = ?", (source.number,))
            if source.damage:
                values = source.number, json.dumps(source.damage)
                self._connection.execute("INSERT INTO damage VALUES (?, ?)", values)

    def unmark(self) -> None:
        """Let all sources that are there be read again from their starts, also those that could not be read.

        Raises:
            StoreError: it could not be kept.
        """
        with self.change() as version:
            self.run("DELETE FROM skipped")
            self.run(
                "UPDATE sources SET position = 0, stamp = '[]', mark = '', held = 0, waiting = 0, changed = ? "
                f"WHERE status != {DEAD} AND NOT gone",
                (version,),
            )

    def kill(self, numbers: Iterable[int], version: int) -> None:
        """Let sources be dead: their rows in segments are masked from now on, their frames are free."""
        for number in numbers:
            self._connection.execute("DELETE FROM frames WHERE source = ?", (number,))
            self._connection.execute("DELETE FROM damage WHERE source = ?", (number,))
            self._connection.execute(
                f"UPDATE sources SET status = {DEAD}, title = '', mark = '', changed = ? WHERE number = ?",
                (version, number),
            )

    def dead(self) -> set[int]:
        """The numbers of the sources that are dead."""
        return {number for (number,) in self.rows(f"SELECT number FROM sources WHERE status = {DEAD}")}

    def forget(self, source: Source) -> None:
        """Take a source out with all that is known of it."""
        self._connection.execute("DELETE FROM frames WHERE source = ?", (source.number,))
        self._connection.execute("DELETE FROM lost WHERE source = ?", (source.number,))
        self._connection.execute("DELETE FROM damage WHERE source = ?", (source.number,))
        self._connection.execute("DELETE FROM sources WHERE number = ?", (source.number,))
        self.unskip(source.path, source.inside)

    def put_frames(self, frames: Iterable[FrameRow]) -> None:
        """Add frames."""
        self._connection.executemany("INSERT INTO frames VALUES (?, ?, ?, ?, ?, ?, ?)", frames)

    def frames_of(self, number: int, first: int = 0) -> list[FrameRow]:
        """The frames of a source in order, from the one that holds its passage `first` on."""
        where = "source = ? AND first + passages > ? ORDER BY first"
        return [FrameRow(*row) for row in self.rows(f"SELECT * FROM frames WHERE {where}", (number, first))]

    def frames_in(self, shard: str) -> list[FrameRow]:
        """The frames of a shard, as they stand in its pack."""
        return [
            FrameRow(*row) for row in self.rows("SELECT * FROM frames WHERE shard = ? ORDER BY start", (shard,))
        ]

    def held(self) -> dict[str, int]:
        """How many passages the frames of each shard hold."""
        return dict(self.rows("SELECT shard, sum(passages) FROM frames GROUP BY shard"))

    def lose(self, row: FrameRow) -> None:
        """Take a frame out that is damaged for good, and remember how much that was."""
        self._connection.execute("DELETE FROM frames WHERE shard = ? AND start = ?", (row.shard, row.start))
        self._connection.execute("INSERT INTO lost VALUES (?, ?, ?)", (row.source, row.shard, row.passages))

    def packs(self) -> dict[str, PackRow]:
        """The packs by shard."""
        rows = self.rows("SELECT shard, generation, bytes FROM packs")
        return {row[0]: PackRow(*row) for row in rows}

    def put_pack(self, pack: PackRow) -> None:
        """Keep how long a pack is good for."""
        values = pack.shard, pack.generation, pack.size
        self._connection.execute("INSERT OR REPLACE INTO packs VALUES (?, ?, ?)", values)

    def segments(self) -> dict[str, list[tuple[str, int, int]]]:
        """(name, bytes, docs) of the segments by shard."""
        found: dict[str, list[tuple[str, int, int]]] = {}
        for shard, *segment in self.rows("SELECT shard, name, bytes, docs FROM segments"):
            found.setdefault(shard, []).append((segment[0], segment[1], segment[2]))
        return found

    def segment_names(self, shard: str) -> list[str]:
        """The names of a shard's segments."""
        return [name for name, *_ in self.segments().get(shard, [])]

    def put_segment(self, shard: str, name: str, size: int, docs: int) -> None:
        """Add a segment."""
        self._connection.execute("INSERT INTO segments VALUES (?, ?, ?, ?)", (shard, name, size, docs))

    def drop_segments(self, shard: str, names: Iterable[str]) -> None:
        """Take segments out."""
        for name in names:
            self._connection.execute("DELETE FROM segments WHERE shard = ? AND name = ?", (shard, name))

    def tools(self) -> dict[str, int]:
        """The numbers of the tools by name."""
        return {given(name): number for name, number in self.rows("SELECT name, number FROM tools")}

    def put_tools(self, tools: dict[str, int]) -> None:
        """Add tools."""
        values = [(number, kept(name)) for name, number in tools.items()]
        self._connection.executemany("INSERT INTO tools VALUES (?, ?)", values)

    def drop_tools(self, names: Iterable[str]) -> None:
        """Take tools out."""
        self._connection.executemany("DELETE FROM tools WHERE name = ?", [(kept(name),) for name in names])

    def skip(self, file: SessionFile, reason: str) -> None:
        """Remember that a file, as it is now, cannot be read and why."""
        place = kept(file.filename), kept(file.inside)
        values = *place, file.host, json.dumps(file.stamp), file.size, kept(reason)
        self._connection.execute("INSERT OR REPLACE INTO skipped VALUES (?, ?, ?, ?, ?, ?)", values)

    def skipped(self) -> dict[Key, tuple[int, ...]]:
        """The stamps of the files that could not be read, by (path, inside)."""
        with self._made_out(), Failures(self.path):
            return skipped_in(self._connection)

    def unskip(self, path: str, inside: str) -> None:
        """Forget that a file could not be read."""
        self._connection.execute("DELETE FROM skipped WHERE path = ? AND inside = ?", (kept(path), kept(inside)))

    @contextmanager
    def _made_out(self) -> Iterator[None]:
        """Says so where a value is none of ours."""
        try:
            yield
        except (ValueError, TypeError) as error:
            raise unreadable(self.path, str(error)) from error
