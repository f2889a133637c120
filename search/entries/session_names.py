"""Sessions' ids in short: as much of each as tells it from the others there are."""

from __future__ import annotations

import re
from collections.abc import Iterable

from prune_mcp.search.entries.entry_ref import SHORT
from prune_mcp.sessions.session_file import is_uuid

# Where the parts of a uuid end.
_ENDS = (SHORT, 13, 18, 23)


class SessionNames:
    """Names sessions among all these. A subagent's id keeps what stands behind its parent's."""

    def __init__(self, sessions: Iterable[str]) -> None:
        # Few of many are ever named, so that one text that is looked into costs less than a table.
        self._known = "\n".join(["", *sessions])

    def short(self, session: str) -> str:
        """The shortest name of a session that means no other."""
        parent, slash, rest = session.partition("/")
        if is_uuid(parent):
            parent = next((parent[:end] for end in _ENDS if self._alone(parent, end)), parent)
        return parent + slash + rest

    def _alone(self, session: str, end: int) -> bool:
        others = re.findall(f"\n{re.escape(session[:end])}([^/\n]*)", self._known)
        return set(others) <= {session[end:]}
