"""Taking a file in: only what is new of it where what is in goes on, else all of it, under a new number."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence

from prune_mcp.search.catalog.schema import LIVE, UNFINISHED
from prune_mcp.search.catalog.source import NO_MARK, Source
from prune_mcp.search.catalog.writer import CatalogWriter
from prune_mcp.search.indexing.forgotten import Forgotten, file_hash
from prune_mcp.search.indexing.pending import QUIET_SECONDS
from prune_mcp.search.indexing.progress import Pace
from prune_mcp.search.indexing.reading import Differs, Reading, Unreadable
from prune_mcp.search.indexing.slices import Slices
from prune_mcp.search.packs.frame import FrameDamaged, Kept, header_of
from prune_mcp.search.packs.pack import Packs
from prune_mcp.search.secrets.masking import mask
from prune_mcp.sessions.history import Mark
from prune_mcp.sessions.session_file import SessionFile
from prune_mcp.storage.rows import kept as kept_text


class Stopped(Exception):
    """It was time to stop, in the middle of a file."""


class Taking:
    """Takes files in, one after the other. `stop` is asked between the slices of a large one. `everything`: also
    what may still change is taken."""

    def __init__(
        self,
        catalog: CatalogWriter,
        slices: Slices,
        packs: Packs,
        forgotten: Forgotten,
        pace: Pace,
        stop: Callable[[], bool],
        everything: bool = False,
    ) -> None:
        self._catalog = catalog
        self._slices = slices
        self._packs = packs
        self._forgotten = forgotten
        self._pace = pace
        self._stop = stop
        self._everything = everything

    def take(self, file: SessionFile) -> str:
        """Take in what is new of a file; returns why it could not be read, "" where it could.

        Raises:
            Stopped: `stop` said so; the next one goes on from there.
            StoreError: nothing can be written.
        """
        try:
            known = self._catalog.source_at(file, LIVE)
            if not ((known and self._go_on(file, known)) or (not known and self._moved(file))):
                self._anew(file, known)
        except Unreadable as error:
            reason = mask(str(error))
            self._slices.current.skip(file, reason)
            return reason
        return ""

    def _moved(self, file: SessionFile) -> bool:
        """Whether the file is one that is gone from where it was, and is taken in as such."""
        if not self._catalog.rows(f"SELECT 1 FROM sources WHERE gone AND status = {LIVE} LIMIT 1"):
            return False
        where = "(session = ?1 OR named = ?1) AND host = ?2 AND gone AND status = ?3"
        for source in self._catalog.sources(where, (kept_text(file.id), file.host, LIVE)):
            if not self._slices.current.holds(source.number):
                source.path, source.inside, source.project = file.filename, file.inside, file.project
                source.gone = False
                if self._go_on(file, source, moved=True):
                    return True
                if self._holds_all(file, source):
                    self._anew(file, source)
                    return True
        return False

    def _holds_all(self, file: SessionFile, source: Source) -> bool:
        """Whether a file has every text that is in of a source, whatever became of their order and flags."""
        try:
            stored = {kept.copy for kept in self._stored(source, 0)}
        except Differs:
            return False
        return stored <= {kept.copy for kept, _ in self._reading(file, NO_MARK, settled=True).beyond(())}

    def _go_on(self, file: SessionFile, source: Source, moved: bool = False) -> bool:
        """Take in what comes after what is in of a source; False where it does not go on, or that is too much."""
        reading = self._reading(file, source.mark)
        stored = self._stored(source, 0 if reading.history.fresh else source.passages - source.held)
        new: list[tuple[Kept, bytes]] = []
        size = 0
        try:
            for kept, text in reading.beyond(stored):
                new.append((kept, text))
                size += len(text)
                if size > self._slices.limit:
                    return False
        except Differs:
            return False
        rows = self._slices.current
        rows.begin(source, file)
        for kept, text in new:
            rows.add(kept, text)
        self._finish(file, source, reading, moved=moved)
        return True

    def _anew(self, file: SessionFile, known: Source | None) -> None:
        """Take in the whole file under a number of its own; what was `known` of it is dead then."""
        begun = self._catalog.source_at(file, UNFINISHED)
        instead = [known.number] if known else []
        if begun:
            try:
                self._read(file, begun, instead)
                return
            except Differs:
                instead.append(begun.number)
        self._read(file, Source.of(self._slices.current.number(), file), instead)

    def _read(self, file: SessionFile, source: Source, instead: Sequence[int]) -> None:
        reading = self._reading(file, NO_MARK)
        begun = False
        try:
            for kept, text in reading.beyond(self._stored(source, 0)):
                if not begun:
                    if not instead and self._forgotten.holds_session(source.host, reading.history.session):
                        self._forgotten.add([file_hash(source.path, source.inside)])
                        return
                    self._slices.current.begin(source, file)
                    begun = True
                self._slices.current.add(kept, text)
                if self._slices.full:
                    self._pause(file, source, reading)
        except Unreadable as error:
            if begun:
                self._give_up(file, source, instead, error)
            raise
        if not begun:
            self._slices.current.begin(source, file)
        self._finish(file, source, reading, instead)

    def _pause(self, file: SessionFile, source: Source, reading: Reading) -> None:
        """Commit what is read so far of a large file; it is not shown before all of it is in."""
        source.learn(reading.history, mask(reading.history.title))
        self._slices.current.end(whole=False)
        self._slices.commit()
        self._pace.at(source.path, source.bytes)
        if self._stop():
            raise Stopped
        self._slices.current.begin(source, file)

    def _give_up(self, file: SessionFile, source: Source, instead: Sequence[int], error: Unreadable) -> None:
        """Keep what could be read of a file that cannot be read to its end, where there is nothing better."""
        if not instead and not error.changed:
            source.status, source.mark = LIVE, Mark(0, file.stamp)
        self._slices.current.end(whole=source.status == LIVE)

    def _finish(
        self,
        file: SessionFile,
        source: Source,
        reading: Reading,
        instead: Sequence[int] = (),
        moved: bool = False,
    ) -> None:
        source.learn(reading.history, mask(reading.history.title))
        source.mark, source.held, source.named = reading.mark, reading.held, file.named
        source.waiting = file.size if reading.waiting else 0
        source.status = LIVE
        self._slices.current.end(True, instead, moved)

    def _reading(self, file: SessionFile, mark: Mark, settled: bool = False) -> Reading:
        settled = settled or self._everything or abs(time.time() - file.mtime) > QUIET_SECONDS
        return Reading(file, mark if mark.position else None, settled)

    def _stored(self, source: Source, first: int) -> Iterator[Kept]:
        """The passages that are in of a source, from its `first`-th on; what is damaged differs from anything."""
        for row in self._catalog.frames_of(source.number, first):
            path = self._slices.pack(row.shard)
            try:
                header = header_of(self._packs.read(path, row.start), f"byte {row.start} of {path}")
            except FrameDamaged as error:
                raise Differs from error
            if row.first > first or header.origin.source != source.number:
                raise Differs
            yield from header.kept[first - row.first :]
            first = row.first + row.passages
