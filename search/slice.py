"""A slice of indexing: what one commit brings. Until then nothing of it is to be seen, whatever happens."""

from __future__ import annotations

import time
from collections.abc import Iterable
from typing import TYPE_CHECKING

from prune_mcp.search.catalog_writer import CatalogWriter, FrameRow, PackRow
from prune_mcp.search.frame import Header, Kept, Origin, keep, packed
from prune_mcp.search.pack import PackEnd
from prune_mcp.search.paths import Paths
from prune_mcp.search.rows import Row
from prune_mcp.search.secrets import mask
from prune_mcp.search.source import Source
from prune_mcp.search.words import counts
from prune_mcp.sessions.passage import SPEAKERS, Passage
from prune_mcp.sessions.session_file import SessionFile
from prune_mcp.storage.failures import from_system
from prune_mcp.storage.home import private_folder

if TYPE_CHECKING:
    from prune_mcp.search.segment_writer import SegmentWriter

# A frame is closed when it holds so many bytes of text.
FRAME_BYTES = 1 << 16
MOST_TOOLS = 0xFFFF


class Slice:
    """What is gathered for one commit. `bytes` of text and `postings` tell how much it is.

    Sources are written one after the other: `begin`, then `add` its passages, then `end`.
    """

    def __init__(self, catalog: CatalogWriter, paths: Paths) -> None:
        self.bytes = self.passages = 0
        self._catalog = catalog
        self._paths = paths
        self._version = catalog.version + 1
        self._next = catalog.next_number()
        self._known_packs = catalog.packs()
        self._packs: dict[str, PackEnd] = {}
        self._segments: dict[str, SegmentWriter] = {}
        self._tools = catalog.tools()
        self._new_tools: dict[str, int] = {}
        self._frames: list[FrameRow] = []
        self._sources: dict[int, Source] = {}
        self._dead: set[int] = set()
        self._skipped: dict[tuple[str, str], tuple[SessionFile, str]] = {}
        self._shard = ""
        self._open: list[Kept] = []
        self._texts: list[bytes] = []
        self._size = 0

    @property
    def postings(self) -> int:
        """How many postings are held."""
        return sum(segment.postings for segment in self._segments.values())

    @property
    def empty(self) -> bool:
        """Whether a commit would change nothing."""
        return not (self._sources or self._dead or self._skipped)

    def number(self) -> int:
        """A number for a new source."""
        self._next += 1
        return self._next - 1

    def begin(self, source: Source, file: SessionFile) -> None:
        """Go on with a source; passages without any time before them are taken to be of the file's month."""
        self._source = source
        self._sources[source.number] = source
        self._dated = source.last or int(file.mtime)

    def add(self, passage: Passage) -> None:
        """Take the next passage of the source.

        Raises:
            OSError: its frame cannot be written.
        """
        kept, text = keep(passage, mask(passage.text))
        seconds = max(0, int(kept.time))
        self._dated = seconds or self._dated
        shard = month(self._dated)
        if self._open and (shard != self._shard or self._size >= FRAME_BYTES):
            self._close_frame()
        self._shard = shard
        self._open.append(kept)
        self._texts.append(text)
        self._size += len(text)
        self._source.saw(seconds, len(text))
        self.bytes += len(text)
        self.passages += 1

    def end(self, dead: Iterable[int] = ()) -> None:
        """Be done with the source, as it is now; sources of the numbers `dead` give way to it.

        Raises:
            OSError: its last frame cannot be written.
        """
        if self._open:
            self._close_frame()
        self._skipped.pop((self._source.path, self._source.inside), None)
        self._dead.update(dead)

    def skip(self, file: SessionFile, reason: str) -> None:
        """Remember that this file cannot be read, and why."""
        self._skipped[str(file.path), file.inside] = file, reason

    def commit(self) -> int:
        """Keep all of it: packs first, then segments, the catalog last. Returns the version that brings it.

        Raises:
            StoreFull: the disk is full; nothing of the slice is kept.
            StoreError: it could not be written; nothing of the slice is kept.
        """
        try:
            for pack in self._packs.values():
                pack.sync()
            written = [self._write(shard, segment) for shard, segment in self._segments.items()]
        except OSError as error:
            self.drop()
            raise from_system(error, self._paths.catalog) from error
        with self._catalog.change() as version:
            assert version == self._version
            self._record(version, written)
        self._close()
        return version

    def drop(self) -> None:
        """Give up what was gathered; what it left in files is taken away."""
        self._close()
        for shard, pack in self._packs.items():
            known = self._known_packs.get(shard, PackRow(shard, 1, 0))
            pack.cut(known.size)
        for shard in self._segments:
            self._paths.segment(shard, str(self._version)).unlink(missing_ok=True)

    def _record(self, version: int, written: list[tuple[str, str, int, int]]) -> None:
        catalog = self._catalog
        catalog.put_tools(self._new_tools)
        for file, reason in self._skipped.values():
            catalog.skip(file, reason)
        for source in self._sources.values():
            catalog.unskip(source.path, source.inside)
        catalog.put_sources(self._sources.values(), version)
        catalog.put_frames(self._frames)
        catalog.kill(self._dead, version)
        for shard, pack in self._packs.items():
            catalog.put_pack(PackRow(shard, self._generation(shard), pack.size))
        for segment in written:
            catalog.put_segment(*segment)

    def _write(self, shard: str, segment: SegmentWriter) -> tuple[str, str, int, int]:
        name = str(self._version)
        path = self._paths.segment(shard, name)
        private_folder(path.parent)
        segment.write(path)
        return shard, name, path.stat().st_size, len(segment)

    def _close_frame(self) -> None:
        """Put the open frame into its pack, and its passages as rows into the segment."""
        from prune_mcp.search.segment_writer import SegmentWriter

        shard, source = self._shard, self._source
        first = source.passages - len(self._open)
        data = packed(Header(self._version, first, _origin(source), self._open), b"".join(self._texts))
        start = self._pack(shard).add(data)
        self._frames.append(FrameRow(shard, start, len(data), source.number, first, len(self._open), self._size))
        segment = self._segments.setdefault(shard, SegmentWriter())
        for slot, (kept, text) in enumerate(zip(self._open, self._texts, strict=True)):
            segment.add(self._row(kept, start, slot), counts(text.decode("utf-8", "surrogatepass")))
        self._open, self._texts, self._size = [], [], 0

    def _row(self, kept: Kept, start: int, slot: int) -> Row:
        role, tool = SPEAKERS.index(kept.role), self._tool(kept.tool)
        return Row(self._source.number, role, tool, kept.flags, max(0, int(kept.time)), kept.copy, start, slot)

    def _tool(self, name: str) -> int:
        if not name:
            return 0
        number = self._tools.get(name)
        if number is None:
            number = len(self._tools) + 1
            if number > MOST_TOOLS:
                return 0
            self._tools[name] = self._new_tools[name] = number
        return number

    def _generation(self, shard: str) -> int:
        known = self._known_packs.get(shard)
        return known.generation if known else 1

    def _pack(self, shard: str) -> PackEnd:
        if shard not in self._packs:
            known = self._known_packs.get(shard, PackRow(shard, 1, 0))
            self._packs[shard] = PackEnd(self._paths.pack(shard, known.generation), known.size)
        return self._packs[shard]

    def _close(self) -> None:
        for pack in self._packs.values():
            pack.close()


def month(seconds: int) -> str:
    """The shard of a time in seconds since the epoch: its month in UTC."""
    try:
        return time.strftime("%Y-%m", time.gmtime(seconds))
    except (ValueError, OverflowError, OSError):
        return "1970-01"


def _origin(source: Source) -> Origin:
    return Origin(
        source.number,
        source.path,
        source.inside,
        source.host,
        source.session,
        source.parent,
        source.cwd,
        source.project,
        source.title,
    )
