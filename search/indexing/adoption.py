"""Making a lost catalog anew from the packs: their frames tell which sources they are of."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

from prune_mcp.search.catalog.schema import LIVE
from prune_mcp.search.catalog.source import Source
from prune_mcp.search.catalog.writer import CatalogWriter, FrameRow, PackRow
from prune_mcp.search.indexing.forgotten import Forgotten
from prune_mcp.search.packs.frame import FrameDamaged, Header, header_of
from prune_mcp.search.packs.frame_rows import seconds
from prune_mcp.search.packs.pack import scan
from prune_mcp.search.paths import Paths

PACK_NAME = re.compile(r"(\d{4}-\d{2})\.(\d+)\.pack")


class Found(NamedTuple):
    """A frame found in a pack."""

    row: FrameRow
    header: Header


def packs_in(paths: Paths) -> dict[str, list[int]]:
    """The generations of the packs that are there, in order, by shard."""
    found = defaultdict(list)
    if paths.history.is_dir():
        for path in paths.history.iterdir():
            if match := PACK_NAME.fullmatch(path.name):
                found[match[1]].append(int(match[2]))
    return {shard: sorted(generations) for shard, generations in found.items()}


def adopt(catalog: CatalogWriter, paths: Paths) -> None:
    """Fill an empty catalog with what the packs hold; its sources are to be read again, as their marks are lost.

    Raises:
        OSError: a pack cannot be read.
        StoreError: the catalog cannot be written.
    """
    forgotten = Forgotten(paths.forgotten)
    forgotten.refresh()
    by_source: defaultdict[int, list[Found]] = defaultdict(list)
    packs = []
    for shard, (generation, *_) in packs_in(paths).items():
        # Of two generations the older one has all that the newer one, perhaps not finished, has.
        size = 0
        for found in frames_in(paths, shard, generation):
            size = found.row.start + found.row.length
            origin = found.header.origin
            if not forgotten.holds_session(origin.host, origin.session):
                by_source[origin.source].append(found)
        packs.append(PackRow(shard, generation, size))
    commits = [found.header.commit for frames in by_source.values() for found in frames]
    with catalog.change() as version:
        for pack in packs:
            catalog.put_pack(pack)
        for frames in _standing(by_source):
            catalog.put_frames(found.row for found in frames)
            catalog.put_sources([_source(frames)], version)
        catalog.run("UPDATE state SET version = max(version, ?)", (max(commits, default=0) + 1,))
        catalog.run("UPDATE state SET next_source = max(next_source, ?)", (max(by_source, default=0) + 1,))


def frames_in(paths: Paths, shard: str, generation: int, start: int = 0) -> Iterator[Found]:
    """The undamaged frames of a pack, from a byte of it on."""
    path = paths.pack(shard, generation)
    for at, data in scan(path, start):
        try:
            header = header_of(data, f"byte {at} of {path}")
        except FrameDamaged:
            continue
        size = sum(kept.size for kept in header.kept)
        number, first = header.origin.source, header.first
        yield Found(FrameRow(shard, at, len(data), number, first, len(header.kept), size), header)


def _standing(by_source: dict[int, list[Found]]) -> Iterator[list[Found]]:
    """The frames of each source that stands, in order: at each place the newest that was finished."""
    places: defaultdict[tuple[str, str], list[list[Found]]] = defaultdict(list)
    dead = {number for frames in by_source.values() for found in frames for number in found.header.instead}
    finished = _finished(found.header for frames in by_source.values() for found in frames)
    for number, frames in sorted(by_source.items(), reverse=True):
        if number in dead:
            continue
        ordered = _in_order(frames)
        last = ordered[-1].header
        place = last.origin.path, last.origin.inside
        # What was begun there, and left since another source went on, goes; that one may have moved on.
        if last.whole or finished.get(place, 0) <= last.commit:
            places[place].append(ordered)
    for candidates in places.values():
        whole = [frames for frames in candidates if frames[-1].header.whole]
        yield (whole or candidates)[0]


def _finished(headers: Iterable[Header]) -> dict[tuple[str, str], int]:
    """When a source was in for the last time, by its place then."""
    finished: dict[tuple[str, str], int] = {}
    for header in headers:
        if header.whole:
            place = header.origin.path, header.origin.inside
            finished[place] = max(finished.get(place, 0), header.commit)
    return finished


def _in_order(frames: Sequence[Found]) -> list[Found]:
    """A source's frames in its order; what was written later takes the place of all that began there or behind."""
    ordered: list[Found] = []
    for found in sorted(frames, key=lambda found: (found.header.commit, found.header.first)):
        while ordered and _gives_way(ordered[-1].header, found.header):
            ordered.pop()
        ordered.append(found)
    return ordered


def _gives_way(old: Header, new: Header) -> bool:
    return old.first >= new.first and old.commit < new.commit


def _source(frames: Sequence[Found]) -> Source:
    origin = frames[-1].header.origin
    source = Source(origin.source, origin.path, origin.inside, origin.host, status=LIVE)
    for found in frames:
        known = found.header.origin
        source.session = known.session or source.session
        source.parent = known.parent or source.parent
        source.cwd = known.cwd or source.cwd
        source.project = known.project or source.project
        source.title = known.title or source.title
        for kept in found.header.kept:
            source.saw(seconds(kept.time), kept.size)
    source.passages = frames[-1].row.first + frames[-1].row.passages
    return source
