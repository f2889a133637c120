"""The segments that a catalog names, open for reading and held as long as it names them."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from prune_mcp.search.catalog.snapshot import Snapshot
from prune_mcp.search.paths import Paths
from prune_mcp.sessions.folders import stamp_of
from prune_mcp.storage.ways_out import in_words

if TYPE_CHECKING:
    from prune_mcp.search.segments.segment import Segment


class OpenSegments:
    """Segments by when their catalog was opened, their shard and their name. Not for several threads at once."""

    def __init__(self, paths: Paths) -> None:
        self._paths = paths
        self._segments: dict[tuple[int, str, str], Segment] = {}
        self._stamps: dict[Path, tuple[int, ...]] = {}

    def shards(self, snapshot: Snapshot, damaged: list[str]) -> dict[str, Sequence[Segment]]:
        """The segments of each shard; what cannot be opened is told in `damaged`, a sentence each."""
        shards: dict[str, Sequence[Segment]] = {}
        for shard, segments in snapshot.segments.items():
            opened = (self._opened(snapshot.opened, shard, name, size, damaged) for name, size in segments)
            if found := [segment for segment in opened if segment is not None]:
                shards[shard] = found
        return shards

    def keep_only(self, snapshot: Snapshot) -> None:
        """Let go of all that a snapshot does not name."""
        self._keep({key: segment for key, segment in self._segments.items() if _named(key, snapshot)})

    def let_go(self, path: Path) -> None:
        """Let go of the segment at a path, if it is held."""
        self._keep({key: segment for key, segment in self._segments.items() if segment.path != path})

    def let_go_of_changed(self) -> bool:
        """Let go of segments that were written to, which nobody should: opened again, their damage is met. Returns
        whether there were any."""
        changed = [segment.path for segment in self._segments.values() if self._has_changed(segment.path)]
        for path in changed:
            self.let_go(path)
        return bool(changed)

    def clear(self) -> None:
        """Let go of all."""
        self._keep({})

    def _keep(self, segments: dict[tuple[int, str, str], Segment]) -> None:
        self._segments = segments
        held = {segment.path for segment in segments.values()}
        self._stamps = {path: stamp for path, stamp in self._stamps.items() if path in held}

    def _has_changed(self, path: Path) -> bool:
        try:
            return stamp_of(os.stat(path)) != self._stamps.get(path)  # noqa: PTH116 - as a method it takes twice the time
        except OSError:
            # What was taken away stays whole while it is held.
            return False

    def _opened(self, opened: int, shard: str, name: str, size: int, damaged: list[str]) -> Segment | None:
        from prune_mcp.search.segments.segment import Segment
        from prune_mcp.search.segments.segment_file import SegmentDamaged

        if held := self._segments.get((opened, shard, name)):
            return held
        path = self._paths.segment(shard, name)
        try:
            status = path.stat()
            if status.st_size != size:
                raise SegmentDamaged(f"{path} is not as long as it was written")
            segment = Segment(path)
        except FileNotFoundError:
            damaged.append(f"The index for {shard} lacks a part ({path}); the next indexing builds it anew.")
            return None
        except (SegmentDamaged, OSError) as error:
            why = error.__cause__ or error
            damaged.append(
                f"The index for {shard} cannot be read. {in_words(why)}"
                if isinstance(why, OSError)
                else f"The index for {shard} is damaged in part ({error}); the next indexing builds it anew."
            )
            return None
        self._segments[opened, shard, name] = segment
        self._stamps[path] = stamp_of(status)
        return segment


def _named(key: tuple[int, str, str], snapshot: Snapshot) -> bool:
    opened, shard, name = key
    return opened == snapshot.opened and any(name == other for other, _ in snapshot.segments.get(shard, ()))
