"""Building segments anew from the packs, where they are missing, damaged or of an older version."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from pathlib import Path

from prune_mcp.search.catalog.schema import INDEX_VERSION
from prune_mcp.search.catalog.writer import CatalogWriter, FrameRow, PackRow
from prune_mcp.search.indexing.merging import merge_small, remove
from prune_mcp.search.indexing.slices import SLICE_POSTINGS
from prune_mcp.search.packs.frame import Frame, FrameDamaged, unpacked
from prune_mcp.search.packs.frame_rows import ToolNumbers, add_frame
from prune_mcp.search.packs.pack import Packs
from prune_mcp.search.paths import Paths
from prune_mcp.search.segments.segment import Segment, SegmentDamaged
from prune_mcp.search.segments.segment_writer import SegmentWriter
from prune_mcp.storage.failures import from_system
from prune_mcp.storage.home import private_folder


@dataclass(slots=True)
class Rebuilt:
    """What was built anew: the shards; and passages that damage in a pack took away, `lost` for good where their
    source is gone, else read again from it."""

    shards: list[str] = field(default_factory=list)
    lost: int = 0
    reread: int = 0


def wanting(catalog: CatalogWriter, paths: Paths) -> list[str]:
    """The shards whose segments are not all there, as long as they were and such that they can be opened."""
    if catalog.index_version != INDEX_VERSION:
        return sorted(catalog.packs(), reverse=True)
    segments = catalog.segments()
    held = catalog.held()
    found = []
    for shard, pack in catalog.packs().items():
        parts = segments.get(shard, [])
        whole = all(_opens(paths.segment(shard, name), size) for name, size, _ in parts)
        short = _size(paths.pack(shard, pack.generation)) < pack.size
        if not whole or short or sum(docs for *_, docs in parts) < held.get(shard, 0):
            found.append(shard)
    return sorted(found, reverse=True)


def renew(
    catalog: CatalogWriter,
    paths: Paths,
    packs: Packs,
    shards: Iterable[str],
    passed: Callable[[str, int], None] = lambda shard, size: None,
) -> Rebuilt:
    """Build the segments of these shards anew from their packs, one shard after the other, each in one commit.

    `passed` is told each frame's shard and size (bytes in the pack); what it raises ends it.

    Raises:
        StoreError: they cannot be written; the shard stays as it was.
    """
    rebuilt = Rebuilt()
    for shard in shards:
        _renew(catalog, paths, packs, shard, rebuilt, passed)
        merge_small(catalog, paths, [shard])
        rebuilt.shards.append(shard)
    if catalog.index_version != INDEX_VERSION:
        with catalog.change():
            catalog.run("UPDATE state SET index_version = ?", (INDEX_VERSION,))
    return rebuilt


def _renew(
    catalog: CatalogWriter,
    paths: Paths,
    packs: Packs,
    shard: str,
    rebuilt: Rebuilt,
    passed: Callable[[str, int], None],
) -> None:
    pack = catalog.packs()[shard]
    making = _Segments(paths, shard, catalog)
    damaged: list[FrameRow] = []
    for row in catalog.frames_in(shard):
        passed(shard, row.length)
        try:
            making.add(_frame(paths, packs, pack, row), row.start)
        except FrameDamaged:
            damaged.append(row)
    written = making.finish()
    with catalog.change() as version:
        old = catalog.segment_names(shard)
        catalog.drop_segments(shard, old)
        catalog.put_tools(making.tools.new)
        for segment in written:
            catalog.put_segment(shard, *segment)
        catalog.put_pack(
            PackRow(shard, pack.generation, min(pack.size, _size(paths.pack(shard, pack.generation))))
        )
        _lose(catalog, damaged, version, rebuilt)
    for name in set(old) - {name for name, *_ in written}:
        remove(paths, shard, name)


def _frame(paths: Paths, packs: Packs, pack: PackRow, row: FrameRow) -> Frame:
    path = paths.pack(row.shard, pack.generation)
    frame = unpacked(packs.read(path, row.start), f"byte {row.start} of {path}")
    if frame.origin.source != row.source:
        raise FrameDamaged(f"The frame at byte {row.start} of {path} is not the one that was written there.")
    return frame


def _lose(catalog: CatalogWriter, damaged: Iterable[FrameRow], version: int, rebuilt: Rebuilt) -> None:
    """Read sources again of which frames are damaged; where they are gone, only what those held is lost."""
    by_source: defaultdict[int, list[FrameRow]] = defaultdict(list)
    for row in damaged:
        by_source[row.source].append(row)
    for number, rows in by_source.items():
        passages = sum(row.passages for row in rows)
        if any(Path(source.path).exists() for source in catalog.sources("number = ?", (number,))):
            catalog.kill([number], version)
            rebuilt.reread += passages
            continue
        for row in rows:
            catalog.lose(row)
        rebuilt.lost += passages


class _Segments:
    """The segments of a shard in the making, no larger than memory allows."""

    def __init__(self, paths: Paths, shard: str, catalog: CatalogWriter) -> None:
        self.tools = ToolNumbers(catalog.tools())
        self._name = f"{catalog.version + 1}-rebuilt"
        self._paths = paths
        self._shard = shard
        self._written: list[tuple[str, int, int]] = []
        self._making = SegmentWriter()

    def add(self, frame: Frame, start: int) -> None:
        texts = [frame.text(slot) for slot in range(len(frame.kept))]
        add_frame(self._making, frame, texts, start, self.tools)
        if self._making.postings >= SLICE_POSTINGS:
            self._write()

    def finish(self) -> list[tuple[str, int, int]]:
        """(name, bytes, docs) of each."""
        if len(self._making):
            self._write()
        return self._written

    def _write(self) -> None:
        name = f"{self._name}-{len(self._written)}"
        path = self._paths.segment(self._shard, name)
        try:
            private_folder(path.parent)
            self._making.write(path)
        except OSError as error:
            raise from_system(error, path) from error
        self._written.append((name, path.stat().st_size, len(self._making)))
        self._making = SegmentWriter()


def _opens(path: Path, size: int) -> bool:
    try:
        Segment(path)
    except SegmentDamaged:
        return False
    return _size(path) == size


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:
        return 0
