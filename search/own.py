"""The session that asks: its last exchange holds the question itself, and is no find."""

from __future__ import annotations

from dataclasses import dataclass

from prune_mcp.search.mask import runs_of
from prune_mcp.search.matches import Match, Spot
from prune_mcp.search.rows import IndexView
from prune_mcp.search.scan import Scan
from prune_mcp.sessions.passage import SPEAKERS

_USER = bytes([SPEAKERS.index("user")])


@dataclass(frozen=True, slots=True)
class OwnExchange:
    """The exchange of a running session that began at `since` (seconds since the epoch), with its subagents."""

    session: str
    since: float
    sources: frozenset[int]

    def holds(self, match: Match) -> bool:
        """Whether a match stands in it."""
        if not self.session or match.time < self.since:
            return False
        if isinstance(match.at, Spot):
            return match.at.source in self.sources
        return _belongs(match.at.origin.session, self.session)


def own_exchange(session: str, view: IndexView, scan: Scan) -> OwnExchange:
    """The last exchange of a session, as far as it is known; of none for ""."""
    if not session:
        return OwnExchange("", 0.0, frozenset())
    sources = {n for n, one in view.sources.items() if _belongs(one.session, session)}
    own = {n for n in sources if view.sources[n].session == session}
    prompts = [scan.prompts.get(session, 0.0), _last_prompt(view, own - scan.void)]
    return OwnExchange(session, max(prompts), frozenset(sources))


def _belongs(session: str, own: str) -> bool:
    return session == own or session.startswith(own + "/")


def _last_prompt(view: IndexView, sources: set[int]) -> float:
    """When the last prompt in these sources was, 0.0 unknown."""
    last = 0.0
    for segments in view.shards.values():
        for segment in segments:
            for source, start, end in runs_of(segment).runs if runs_of(segment).sources & sources else ():
                if source in sources and (found := segment.roles.rfind(_USER, start, end)) >= 0:
                    last = max(last, segment.times[found])
    return last
