"""The session that asks: its last exchange holds the question itself, and what led to it is no find."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from prune_mcp.search.find.masks import runs_of
from prune_mcp.search.find.matches import Match, Spot
from prune_mcp.search.find.scan import Lately, Scan
from prune_mcp.search.rows import ECHO, IndexView
from prune_mcp.search.segments.segment import Segment
from prune_mcp.sessions.passage import SPEAKERS

_USER = bytes([SPEAKERS.index("user")])
_RESULT = bytes([SPEAKERS.index("result")])


@dataclass(frozen=True, slots=True)
class OwnExchange:
    """The last exchange of a running session and its subagents.

    `prompt`: when it began; `output`: when a tool other than our own last put something out, in any exchange. Both
    in seconds since the epoch, 0.0 unknown.
    """

    session: str
    prompt: float
    output: float
    sources: frozenset[int]

    def holds(self, match: Match) -> bool:
        """Whether a match stands in it."""
        if not self.session or match.time < self.prompt:
            return False
        if isinstance(match.at, Spot):
            return match.at.source in self.sources
        return _belongs(match.at.origin.session, self.session)

    def asks(self, match: Match) -> bool:
        """Whether a match is the question itself, or what was said since to ask it."""
        return self.holds(match) and (match.last or match.time > self.output)


def own_exchange(session: str, view: IndexView, scan: Scan) -> OwnExchange:
    """The last exchange of a session, as far as it is known; of none for ""."""
    if not session:
        return OwnExchange("", 0.0, 0.0, frozenset())
    sources = {n for n, one in view.sources.items() if _belongs(one.session, session)}
    own = {n for n in sources if view.sources[n].session == session} - scan.void
    runs = [run for segments in view.shards.values() for segment in segments for run in _runs(segment, own)]
    prompt = max((_last(_USER, *run) for run in runs), default=0.0)
    output = max((_last(_RESULT, *run) for run in runs), default=0.0)
    lately = scan.sessions.get(session, Lately())
    return OwnExchange(session, max(prompt, lately.prompt), max(output, lately.output), frozenset(sources))


def _belongs(session: str, own: str) -> bool:
    return session == own or session.startswith(own + "/")


def _runs(segment: Segment, sources: set[int]) -> Iterator[tuple[Segment, int, int]]:
    """Where these sources' documents stand in a segment."""
    known = runs_of(segment)
    for source, start, end in known.runs if known.sources & sources else ():
        if source in sources:
            yield segment, start, end


def _last(role: bytes, segment: Segment, start: int, end: int) -> float:
    """When one of these documents last spoke in a role, echoes left out; 0.0 for never."""
    found = segment.roles.rfind(role, start, end)
    while found >= 0 and segment.flags[found] & ECHO:
        found = segment.roles.rfind(role, start, found)
    return float(segment.times[found]) if found >= 0 else 0.0
