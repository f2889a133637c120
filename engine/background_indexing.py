"""Indexing beside searches: what is not indexed yet, as soon as that is worth a process."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from prune_mcp.search.index import Index
    from prune_mcp.search.indexing.background import Background
    from prune_mcp.sessions.session_file import SessionFile

# Bytes not indexed from which they are worth a process, and seconds between two looks at that.
WORTH_INDEXING = 1 << 20
LOOK_AGAIN = 10.0


class BackgroundIndexing:
    """Starts a child process whenever enough is pending; usable from several threads."""

    def __init__(self, env: Mapping[str, str]) -> None:
        self._env = env
        self._lock = threading.Lock()
        self._child: Background | None = None
        self._looked = -LOOK_AGAIN

    def begin(self, index: Index, look: Callable[[], Sequence[SessionFile]]) -> list[str]:
        """Have what is pending of the files that `look` finds indexed, if it is worth that; returns sentences on
        why it could not be.

        Raises:
            StoreError: the index cannot be read.
        """
        with self._lock:
            if not self._due(index, look):
                return []
            try:
                if self._child is None:
                    # Where too many files are open, not even the module can be read.
                    from prune_mcp.search.indexing.background import Background

                    self._child = Background(self._env)
                self._child.start()
            except OSError as error:
                why = error.strerror or error
                return [
                    f"No process could be started that indexes the rest ({why}): run `prune-mcp index`, and start "
                    "this program again if it was moved or updated."
                ]
        return []

    def close(self) -> None:
        """End the child process."""
        with self._lock:
            if self._child is not None:
                self._child.close()
                self._child = None

    def _due(self, index: Index, look: Callable[[], Sequence[SessionFile]]) -> bool:
        from prune_mcp.search.indexing.pending import due_bytes

        if time.monotonic() - self._looked < LOOK_AGAIN:
            return False
        self._looked = time.monotonic()
        view = index.view()
        if view.catalog == "closed":
            # No process of ours can open it either.
            return False
        return bool(view.damaged) or due_bytes(index.pending(look(), view), time.time()) >= WORTH_INDEXING
