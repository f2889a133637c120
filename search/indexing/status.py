"""How the index stands: what is in, what is not and why, and how large it all is."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from prune_mcp.search.index import Index
from prune_mcp.search.indexing.lock import WriterLock
from prune_mcp.search.packs.damage import sentences
from prune_mcp.search.rows import IndexView
from prune_mcp.sessions.damage import told
from prune_mcp.sessions.session_file import SessionFile
from prune_mcp.storage.rows import given
from prune_mcp.storage.ways_out import in_words

TEXTS = "SELECT source, sum(passages), sum(bytes) FROM frames GROUP BY source"


@dataclass(slots=True)
class AgentStatus:
    """What is in of one agent's sessions. `bytes`: of text. `gone`: how many sources are no longer there."""

    sources: int = 0
    passages: int = 0
    bytes: int = 0
    gone: int = 0


@dataclass(slots=True)
class Skipped:
    """A file that cannot be read, or not to its end. `size`: bytes."""

    path: str
    host: str
    size: int
    reason: str


@dataclass(slots=True)
class Damage:
    """A source that was read but for some of it. `inside`: see `SessionFile`. `kinds`: see `History.skipped`;
    `told`: the same in words."""

    path: str
    inside: str
    host: str
    kinds: Mapping[str, int]
    told: str


@dataclass(slots=True)
class IndexStatus:
    """How the index stands; sizes are in bytes, times in seconds since the epoch (0: nothing is in).

    `pending` and `pending_bytes`: files that are not in, or not to their ends, and how much of them. `left_out`:
    what could not be read of sources that are in. `forgotten`: how many sessions. `lost`: passages that a damaged
    pack lost for good. `segments`: how many each shard has. `busy`: who writes to it now, in a sentence.
    `damaged`: what cannot be used until it is built anew or can be read again, a sentence each.
    """

    agents: dict[str, AgentStatus] = field(default_factory=dict)
    pending: int = 0
    pending_bytes: int = 0
    skipped: list[Skipped] = field(default_factory=list)
    left_out: list[Damage] = field(default_factory=list)
    forgotten: int = 0
    lost: int = 0
    pack_bytes: int = 0
    segment_bytes: int = 0
    catalog_bytes: int = 0
    first: int = 0
    last: int = 0
    segments: dict[str, int] = field(default_factory=dict)
    busy: str = ""
    damaged: list[str] = field(default_factory=list)

    @property
    def total(self) -> AgentStatus:
        """What is in of all agents together."""
        each = self.agents.values()
        return AgentStatus(
            sum(one.sources for one in each),
            sum(one.passages for one in each),
            sum(one.bytes for one in each),
            sum(one.gone for one in each),
        )


def status(index: Index, files: Sequence[SessionFile]) -> IndexStatus:
    """How the index stands; `files`: all that are there now.

    Raises:
        StoreError: the catalog cannot be read.
    """
    view = index.view()
    waiting = index.pending(files, view)
    paths = index.paths
    closed: list[str] = []
    return IndexStatus(
        agents=_agents(index, view),
        pending=len(waiting),
        pending_bytes=sum(one.size for one in waiting),
        skipped=_skipped(index),
        left_out=_left_out(index, view),
        forgotten=len(index.forgotten),
        lost=sum(passages for (passages,) in index.rows("SELECT passages FROM lost")),
        pack_bytes=_size(paths.history, "*.pack", closed),
        segment_bytes=_size(paths.index, "*/*.seg", closed),
        catalog_bytes=_size(paths.history, f"{paths.catalog.name}*", closed),
        first=min((source.first for source in view.sources.values() if source.first), default=0),
        last=max((source.last for source in view.sources.values()), default=0),
        segments={shard: len(segments) for shard, segments in view.shards.items()},
        busy=WriterLock(paths.history).holder(),
        damaged=[*view.damaged, *dict.fromkeys(closed), *sentences(paths)],
    )


def _agents(index: Index, view: IndexView) -> dict[str, AgentStatus]:
    agents: dict[str, AgentStatus] = {}
    texts = {number: sums for number, *sums in index.rows(TEXTS)}
    for number, source in sorted(view.sources.items(), key=lambda each: each[1].host):
        agent = agents.setdefault(source.host, AgentStatus())
        passages, size = texts.get(number, (0, 0))
        agent.sources += 1
        agent.passages += passages
        agent.bytes += size
        agent.gone += source.gone
    return agents


def _skipped(index: Index) -> list[Skipped]:
    rows = index.rows("SELECT path, host, bytes, reason FROM skipped ORDER BY path")
    return [Skipped(given(path), host, size, given(reason)) for path, host, size, reason in rows]


def damage_of(index: Index, source: int) -> Mapping[str, int]:
    """What could not be read of a source; see `History.skipped`.

    Raises:
        StoreError: the catalog cannot be read.
    """
    return _damage(index).get(source, {})


def _left_out(index: Index, view: IndexView) -> list[Damage]:
    sources = [(view.sources[number], kinds) for number, kinds in _damage(index).items() if number in view.sources]
    sources.sort(key=lambda each: (each[0].path, each[0].inside))
    return [Damage(one.path, one.inside, one.host, kinds, told(kinds)) for one, kinds in sources]


def _damage(index: Index) -> dict[int, dict[str, int]]:
    # A catalog that only may be read can be of before there was such a table.
    if not index.rows("SELECT 1 FROM sqlite_master WHERE name = 'damage'"):
        return {}
    return {number: json.loads(kinds) for number, kinds in index.rows("SELECT source, kinds FROM damage")}


def _size(folder: Path, pattern: str, closed: list[str]) -> int:
    """The bytes of the files that a pattern names in a folder; where that cannot be read, `closed` tells it."""
    try:
        files = list(folder.glob(pattern))
    except OSError as error:
        closed.append(in_words(error, str(folder)))
        return 0
    total = 0
    for file in files:
        try:
            total += file.stat().st_size
        except OSError:
            # Another process took it away in between.
            continue
    return total
