"""The index for those who read it: how it stands, what it does not cover yet, and the texts behind its rows."""

from __future__ import annotations

import contextlib
import threading
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from prune_mcp.search.catalog.snapshot import Catalog, CatalogDamaged, Snapshot
from prune_mcp.search.indexing.forgotten import Forgotten
from prune_mcp.search.indexing.pending import Pending, Uncovered
from prune_mcp.search.open_segments import OpenSegments
from prune_mcp.search.packs.damage import leave_mark, unreadable_now
from prune_mcp.search.packs.frame import Frame, FrameDamaged
from prune_mcp.search.packs.frame_reader import FrameReader
from prune_mcp.search.paths import Paths
from prune_mcp.search.rows import IndexView, Row
from prune_mcp.sessions.session_file import SessionFile
from prune_mcp.storage.errors import StoreError, StoreNewer
from prune_mcp.storage.home import Home
from prune_mcp.storage.ways_out import in_words

# How often segments may vanish under the eyes of a reader (they were merged) before it is taken for damage.
ATTEMPTS = 4
CLOSED = "What was indexed cannot be read, so only sessions that are still on disk can be searched and read."


@dataclass(frozen=True)
class OpenView(IndexView):
    """A view that remembers the snapshot it was made from."""

    snapshot: Snapshot = field(default_factory=Snapshot)


class Index:
    """The history's index in this home, for reading; opens nothing before it is used, and creates nothing
    but marks at damaged frames.

    Several threads may share it; other processes may write to it meanwhile.
    """

    def __init__(self, home: Home) -> None:
        self.paths = Paths(home)
        self.forgotten = Forgotten(self.paths.forgotten)
        self._lock = threading.RLock()
        self._catalog = Catalog(self.paths.catalog)
        self._reader = FrameReader()
        self._pack_paths: dict[tuple[str, int], Path] = {}
        self._view: OpenView | None = None
        self._uncovered: tuple[Snapshot, Uncovered] | None = None
        self._segments = OpenSegments(self.paths)

    def view(self) -> IndexView:
        """The index as it stands now; the very same view as long as nothing changed. Where its catalog cannot be
        read, it is an empty one that says so.

        Raises:
            StoreNewer: a newer version of prune-mcp wrote it.
        """
        with self._lock:
            if self._segments.let_go_of_changed():
                self._view = None
            return self._current()

    def pending(self, files: Sequence[SessionFile], view: IndexView | None = None) -> list[Pending]:
        """Which of these files a view (else: the index now) does not cover, or not to their ends.

        Raises:
            StoreError: the catalog cannot be read.
        """
        with self._lock:
            current = view or self._current()
            snapshot = current.snapshot if isinstance(current, OpenView) else Snapshot()
            if self._uncovered is None or self._uncovered[0] is not snapshot:
                sources = snapshot.sources.values()
                states = partial(self._catalog.states, version=snapshot.version)
                self._uncovered = snapshot, Uncovered(sources, snapshot.skipped, states, self.forgotten)
            return self._uncovered[1].of(files)

    def frame(self, shard: str, row: Row) -> Frame:
        """The frame that holds a row's passage, as its `row.slot`.

        Raises:
            FrameDamaged: it is damaged, or was written anew since the view was taken: take a new view.
        """
        frame = self.frame_at(shard, row.frame)
        held = frame.origin.source == row.source and row.slot < len(frame.kept)
        if not held or frame.kept[row.slot].copy != row.copy:
            raise FrameDamaged(f"The frame at byte {row.frame} of the pack of {shard} is not the one looked for.")
        return frame

    def frame_at(self, shard: str, start: int) -> Frame:
        """The frame that begins at this byte of a shard's pack.

        Raises:
            FrameDamaged: there is none, or it is damaged.
        """
        with self._lock:
            view = self._view or self._current()
            try:
                return self._reader.frame(self._pack(view, shard), start)
            except FrameDamaged as error:
                newer = self._current()
                if newer.snapshot.packs.get(shard) == view.snapshot.packs.get(shard):
                    self._mark(shard, start, error)
                    raise
                return self._reader.frame(self._pack(newer, shard), start)

    def texts_at(self, shard: str, start: int) -> bytes:
        """The texts of the frame that begins there, one behind the other; the frame is not held.

        Raises:
            FrameDamaged: as `frame_at`.
        """
        try:
            return self._reader.texts(*self.place(shard, start))
        except FrameDamaged:
            # The pack may have been written anew; what is damaged is marked there.
            return self.frame_at(shard, start).texts

    def place(self, shard: str, start: int) -> tuple[Path, int]:
        """Where the frame is that begins there: no other will ever be in the same place."""
        with self._lock:
            return self._pack(self._view or self._current(), shard), start

    def text(self, shard: str, row: Row) -> str:
        """A row's text, secrets masked.

        Raises:
            FrameDamaged: as `frame`.
        """
        return self.frame(shard, row).text(row.slot)

    def frames_of(self, source: int) -> list[tuple[str, int, int]]:
        """Where a source's frames are, in its order: shard, start, how many of its passages come before."""
        statement = "SELECT shard, start, first FROM frames WHERE source = ? ORDER BY first"
        with self._lock:
            return [(shard, start, first) for shard, start, first in self._found(statement, (source,))]

    def closed_packs(self) -> list[str]:
        """Why packs cannot be opened for now, a sentence each."""
        with self._lock:
            packs = self._current().snapshot.packs
        found = []
        for shard, generation in packs.items():
            try:
                self.paths.pack(shard, generation).open("rb").close()
            except OSError as error:
                found.append(in_words(error))
        return found

    def rows(self, statement: str) -> list[Any]:
        """What a statement that only reads finds in the catalog; nothing where the view cannot read it.

        Raises:
            StoreError: it cannot be read.
        """
        with self._lock:
            return self._found(statement)

    def discard(self, segment: Path) -> None:
        """Take a segment that turned out to be damaged out of use; the next writer builds it anew."""
        with self._lock:
            segment.unlink(missing_ok=True)
            self._view = None
            self._segments.let_go(segment)

    def close(self) -> None:
        """Close all files; using it again opens them again."""
        with self._lock:
            self._catalog.close()
            self._reader.close()
            self._segments.clear()
            self._view = None

    def _current(self) -> OpenView:
        try:
            snapshot = self._catalog.snapshot()
        except StoreNewer:
            raise
        except CatalogDamaged as error:
            return OpenView(0, {}, {}, ("",), (str(error),), catalog="damaged")
        except StoreError as error:
            return OpenView(0, {}, {}, ("",), (f"{CLOSED} {error}",), catalog="closed")
        if self._view is None or self._view.snapshot is not snapshot:
            self._view = self._opened(snapshot)
            self._reader.keep_only({self.paths.pack(*pack) for pack in self._view.snapshot.packs.items()})
        return self._view

    def _opened(self, snapshot: Snapshot) -> OpenView:
        for _ in range(ATTEMPTS):
            damaged: list[str] = []
            shards = self._segments.shards(snapshot, damaged)
            if not damaged or (newer := self._catalog.snapshot()) is snapshot:
                break
            snapshot = newer
        self._segments.keep_only(snapshot)
        lacking = [shard for shard, named in snapshot.segments.items() if len(shards.get(shard, ())) < len(named)]
        sources, tools = snapshot.sources, snapshot.tools
        return OpenView(snapshot.version, shards, sources, tools, tuple(damaged), lacking, snapshot=snapshot)

    def _found(self, statement: str, values: Sequence[Any] = ()) -> list[Any]:
        return self._catalog.rows(statement, values) if self._current().catalog == "read" else []

    def _pack(self, view: OpenView, shard: str) -> Path:
        # To make a path takes a good part of what reading a frame does.
        which = shard, view.snapshot.packs.get(shard, 0)
        if which not in self._pack_paths:
            self._pack_paths[which] = self.paths.pack(*which)
        return self._pack_paths[which]

    def _mark(self, shard: str, start: int, error: FrameDamaged) -> None:
        """Let the next writer know of a damaged frame, if it is one that the catalog still names."""
        if unreadable_now(error):
            return
        with contextlib.suppress(StoreError):
            if self._catalog.rows("SELECT 1 FROM frames WHERE shard = ? AND start = ?", (shard, start)):
                leave_mark(self.paths, shard, start)
