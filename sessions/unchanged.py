"""A session that is read whole, and whose source is as it was when it was read before."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator

from prune_mcp.sessions.history import History, Mark
from prune_mcp.sessions.passage import Passage


class Unchanged(History):
    """Nothing new: every passage was told before."""

    def __init__(self, host: str, mark: Mark) -> None:
        state = json.loads(mark.state)
        self.host = host
        self.session, self.cwd, self.title, self.parent = state["known"]
        self.skipped = Counter(state["skipped"])
        self.fresh = False
        self._mark = mark

    def passages(self) -> Iterator[Passage]:
        """See `History.passages`."""
        return iter(())

    def rest(self) -> Iterator[Passage]:
        """See `History.rest`."""
        return iter(())

    def mark(self) -> Mark:
        """See `History.mark`."""
        return self._mark


def told(history: History) -> str:
    """What an unchanged session must still tell, for `Mark.state`."""
    known = [history.session, history.cwd, history.title, history.parent]
    return json.dumps({"known": known, "skipped": history.skipped}, separators=(",", ":"))


def unchanged(host: str, mark: Mark) -> Unchanged | None:
    """The history of a session that has not changed since the mark; None where that does not tell enough."""
    try:
        return Unchanged(host, mark)
    except (ValueError, KeyError, TypeError):
        return None
