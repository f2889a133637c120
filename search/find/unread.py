"""What no search covers since it cannot be read, in sentences for those who read its answer."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from prune_mcp.search.catalog.source import stamp_from
from prune_mcp.search.entries.entry_ref import EntryRef
from prune_mcp.search.index import Index
from prune_mcp.sessions.session_file import SessionFile
from prune_mcp.storage.rows import given

SKIPPED = "SELECT path, inside, stamp FROM skipped"
# What `discover` counts where it could not look, one of it and several.
OVERLOOKED = {"folder": "folders", "file": "files", "database": "databases"}


def unread(
    index: Index, files: Sequence[SessionFile], overlooked: Mapping[str, int], session: str = ""
) -> Iterator[str]:
    """Sentences on the session files that the last indexing could not read, as far as they are still as they were,
    and on what was `overlooked` (see `discover`). `session`: the only one that is asked about, "" for all.

    Raises:
        StoreError: the catalog cannot be read.
    """
    skipped = {(given(path), given(inside)): stamp_from(stamp) for path, inside, stamp in index.rows(SKIPPED)}
    means = EntryRef("", session).means_session
    same = [file for file in files if skipped.get(file.place) == file.stamp] if skipped else []
    if count := sum(not session or means(file.named) for file in same):
        told = _counted(count, "session file", "session files")
        yield f"{told} could not be read (prune-mcp index --status): at most what was kept before was searched."
    closed = [(kind, several) for kind, several in OVERLOOKED.items() if overlooked.get(kind)]
    if closed and not session:
        told = ", ".join(_counted(overlooked[kind], kind, several) for kind, several in closed)
        yield f"Where sessions are kept, {told} could not be looked into."


def _counted(count: int, one: str, several: str) -> str:
    return f"1 {one}" if count == 1 else f"{count:,} {several}"
