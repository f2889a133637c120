"""Sessions by the other ids they have: those that their content tells, and not their file's name."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from prune_mcp.search.entries.entry_ref import EntryRef
from prune_mcp.search.rows import IndexView
from prune_mcp.sessions.session_file import SessionFile


def known_as(session: str, view: IndexView, files: Callable[[], Sequence[SessionFile]]) -> str:
    """The id that the session named so has here, where only its file's content names it so; else the same again.

    Contents are looked at only where no session of the view or of the files is named so.
    """
    from prune_mcp.sessions.which import also_called

    means = EntryRef("", session).means_session
    if not session or any(means(one.session) for one in view.sources.values()):
        return session
    there = files()
    if any(means(file.named) for file in there):
        return session
    found = {file.id for file in also_called(session, there)}
    return found.pop() if len(found) == 1 else session
