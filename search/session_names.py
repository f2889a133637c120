"""Sessions' ids in short: as much of each as tells it from the others there are."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable

from prune_mcp.search.entry_ref import SHORT
from prune_mcp.sessions.session_file import is_uuid

# Where the parts of a uuid end.
_ENDS = (SHORT, 13, 18, 23)


class SessionNames:
    """Names sessions among all these. A subagent's id keeps what stands behind its parent's."""

    def __init__(self, sessions: Iterable[str]) -> None:
        self._known = sorted({session.partition("/")[0] for session in sessions})

    def short(self, session: str) -> str:
        """The shortest name of a session that means no other."""
        parent, slash, rest = session.partition("/")
        if is_uuid(parent):
            parent = next((parent[:end] for end in _ENDS if self._alone(parent, parent[:end])), parent)
        return parent + slash + rest

    def _alone(self, session: str, name: str) -> bool:
        at = bisect_left(self._known, name)
        return all(other == session or not other.startswith(name) for other in self._known[at : at + 2])
