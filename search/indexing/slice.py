"""A slice of indexing: what one commit brings. Until then nothing of it is to be seen, whatever happens."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from prune_mcp.search.catalog.source import Source
from prune_mcp.search.catalog.writer import CatalogWriter, FrameRow, PackRow
from prune_mcp.search.packs.frame import Kept
from prune_mcp.search.packs.frame_rows import ToolNumbers, add_frame, seconds
from prune_mcp.search.packs.open_frame import OpenFrame, month
from prune_mcp.search.packs.pack import PackEnd
from prune_mcp.search.paths import Paths
from prune_mcp.sessions.session_file import SessionFile
from prune_mcp.storage.failures import Failures, from_system
from prune_mcp.storage.home import private_folder

if TYPE_CHECKING:
    from prune_mcp.search.segments.segment_writer import SegmentWriter


class Slice:
    """What is gathered for one commit. `bytes` of text and the `postings` held tell how much it is.

    Sources are written one after the other: `begin`, then `add` its passages, then `end`. What cannot be written
    raises a StoreError, and then the slice is to be dropped.
    """

    def __init__(self, catalog: CatalogWriter, paths: Paths) -> None:
        self.bytes = self.passages = self.postings = 0
        self._catalog = catalog
        self._paths = paths
        self._version = catalog.version + 1
        self._next = catalog.next_number()
        self._known_packs = catalog.packs()
        self._packs: dict[str, PackEnd] = {}
        self._segments: dict[str, SegmentWriter] = {}
        self._tools = ToolNumbers(catalog.tools())
        self._frames: list[FrameRow] = []
        self._sources: dict[int, Source] = {}
        self._dead: set[int] = set()
        self._skipped: dict[tuple[str, str], tuple[SessionFile, str]] = {}
        self._open = OpenFrame("")

    @property
    def empty(self) -> bool:
        """Whether a commit would change nothing."""
        return not (self._sources or self._dead or self._skipped)

    @property
    def shards(self) -> list[str]:
        """The shards that a commit adds to."""
        return list(self._segments)

    def holds(self, number: int) -> bool:
        """Whether the slice changes the source of this number."""
        return number in self._sources or number in self._dead

    def number(self) -> int:
        """A number for a new source."""
        self._next += 1
        return self._next - 1

    def begin(self, source: Source, file: SessionFile) -> None:
        """Go on with a source; passages without any time before them are taken to be of the file's month."""
        self._source = source
        self._sources[source.number] = source
        self._dated = source.last or int(file.mtime)

    def add(self, kept: Kept, text: bytes) -> None:
        """Take the next passage of the source, its text masked and in UTF-8."""
        time = seconds(kept.time)
        self._dated = time or self._dated
        shard = month(self._dated)
        if self._open.kept and (shard != self._open.shard or self._open.full):
            self._close_frame()
        if not self._open.kept:
            self._open = OpenFrame(shard)
        self._open.add(kept, text)
        self._source.saw(time, len(text))
        self.bytes += len(text)
        self.passages += 1

    def end(self, whole: bool = True, instead: Sequence[int] = (), moved: bool = False) -> None:
        """Be done with the source as it is now: for good, or (not `whole`) until a later slice goes on with it.

        The sources of the numbers `instead` give way to it, and are dead. That, or that it has `moved`, the packs
        tell even if it says nothing new.
        """
        self._dead.update(instead)
        if not self._open.kept and (instead or moved):
            self._open = OpenFrame(month(self._dated))
            self._close_frame(whole, instead)
        elif self._open.kept:
            self._close_frame(whole, instead)

    def skip(self, file: SessionFile, reason: str) -> None:
        """Remember that this file cannot be read, and why."""
        self._skipped[file.place] = file, reason

    def commit(self) -> int:
        """Keep all of it: packs first, then segments, the catalog last. Returns the version that brings it.

        Raises:
            StoreFull: the disk is full; nothing of the slice is kept.
            StoreError: it could not be written; nothing of the slice is kept.
        """
        try:
            try:
                for pack in self._packs.values():
                    pack.sync()
                written = [self._write(shard, segment) for shard, segment in self._segments.items()]
            except OSError as error:
                raise from_system(error, self._paths.catalog) from error
            with self._catalog.change() as version:
                self._record(version, written)
        except BaseException:
            self.drop()
            raise
        self._close()
        return version

    def drop(self) -> None:
        """Give up what was gathered; what it left in files is taken away."""
        self._close()
        for shard, pack in self._packs.items():
            pack.cut(self._known(shard).size)
        for shard in self._segments:
            self._paths.segment(shard, str(self._version)).unlink(missing_ok=True)

    def _record(self, version: int, written: list[tuple[str, str, int, int]]) -> None:
        catalog = self._catalog
        catalog.put_tools(self._tools.new)
        for source in self._sources.values():
            catalog.unskip(source.path, source.inside)
        for file, reason in self._skipped.values():
            catalog.skip(file, reason)
        catalog.put_sources(self._sources.values(), version)
        catalog.put_damage(self._sources.values())
        catalog.put_frames(self._frames)
        catalog.kill(self._dead, version)
        for shard, pack in self._packs.items():
            catalog.put_pack(PackRow(shard, self._known(shard).generation, pack.size))
        for segment in written:
            catalog.put_segment(*segment)

    def _write(self, shard: str, segment: SegmentWriter) -> tuple[str, str, int, int]:
        name = str(self._version)
        path = self._paths.segment(shard, name)
        # The cache may stand on another disk than the packs: what is told names the one that is full.
        with Failures(path):
            private_folder(path.parent)
            segment.write(path)
            return shard, name, path.stat().st_size, len(segment)

    def _close_frame(self, whole: bool = False, instead: Sequence[int] = ()) -> None:
        """Put the open frame into its pack, and its passages as rows into the segment."""
        from prune_mcp.search.segments.segment_writer import SegmentWriter

        frame, self._open = self._open, OpenFrame("")
        header = frame.header(self._version, self._source, whole, instead)
        data = frame.packed(header)
        try:
            start = self._pack(frame.shard).add(data)
        except OSError as error:
            raise from_system(error, self._paths.catalog) from error
        number, first, count = self._source.number, header.first, len(frame.kept)
        self._frames.append(FrameRow(frame.shard, start, len(data), number, first, count, frame.size))
        segment = self._segments.setdefault(frame.shard, SegmentWriter())
        held = segment.postings
        add_frame(segment, header, frame.decoded(), start, self._tools)
        self.postings += segment.postings - held

    def _known(self, shard: str) -> PackRow:
        return self._known_packs.get(shard, PackRow(shard, 1, 0))

    def _pack(self, shard: str) -> PackEnd:
        if shard not in self._packs:
            known = self._known(shard)
            self._packs[shard] = PackEnd(self._paths.pack(shard, known.generation), known.size)
        return self._packs[shard]

    def _close(self) -> None:
        for pack in self._packs.values():
            pack.close()
