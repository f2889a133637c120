"""Indexing in a child process of low priority, which ends with the one that started it."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import threading
from collections.abc import Mapping

# How long a child that was told to stop may go on, until its slice is committed.
STOP_SECONDS = 5.0
# What nice adds to the priority of the one that starts it.
NICE = 10


class Background:
    """The child process of one owner: `start` it whenever there is something to index, `close` it in the end."""

    def __init__(self, env: Mapping[str, str]) -> None:
        self._env = dict(env)
        self._lock = threading.Lock()
        self._child: subprocess.Popen[bytes] | None = None

    @property
    def running(self) -> bool:
        """Whether it is at work."""
        return self._child is not None and self._child.poll() is None

    def start(self) -> None:
        """Have everything indexed that is pending now; nothing happens while it is at work already.

        Raises:
            OSError: no process can be started.
        """
        with self._lock:
            if self.running:
                return
            self._end()
            # Not from the current folder: what stands there is not ours to import.
            command = [sys.executable, "-P", "-m", __name__]
            self._child = subprocess.Popen(
                command,
                env=self._env,
                stdin=subprocess.PIPE,
                stdout=subprocess.DEVNULL,
                stderr=subprocess.DEVNULL,
                start_new_session=True,
                creationflags=_flags(),
            )

    def wait(self, seconds: float | None = None) -> bool:
        """Whether it is done, or was never started, after at most so many seconds."""
        try:
            return self._child is None or self._child.wait(seconds) is not None
        except subprocess.TimeoutExpired:
            return False

    def close(self) -> None:
        """Let it commit what it has, and end it."""
        with self._lock:
            self._end()

    def _end(self) -> None:
        child, self._child = self._child, None
        if child is None:
            return
        if child.stdin:
            with contextlib.suppress(OSError):
                child.stdin.close()
        try:
            child.wait(STOP_SECONDS)
        except subprocess.TimeoutExpired:
            # Killed at any moment, it leaves nothing behind that the next writer does not clear.
            child.kill()
            child.wait()


def main() -> int:
    """Index what is pending, until it is in or standard input ends: then whoever started this is done."""
    ended = threading.Event()
    threading.Thread(target=_wait_for_end, args=(ended,), daemon=True).start()
    if hasattr(os, "nice"):
        os.nice(NICE)
    from prune_mcp.search.index import Index
    from prune_mcp.search.indexing.indexer import Indexer
    from prune_mcp.search.watch import watch
    from prune_mcp.storage.errors import StoreError
    from prune_mcp.storage.home import home

    index = Index(home(os.environ))
    try:
        Indexer(index, watch(os.environ).files()).run(stop=ended.is_set)
    except StoreError:
        # Whoever searches is told by the search itself, and whoever indexes by hand by that.
        return 1
    finally:
        index.close()
    return 0


def _wait_for_end(ended: threading.Event) -> None:
    # Not by sys.stdin: a thread that waits in its buffer holds a lock that the end of the process needs.
    while os.read(0, 1):
        pass
    ended.set()


def _flags() -> int:
    if sys.platform == "win32":
        return subprocess.BELOW_NORMAL_PRIORITY_CLASS | subprocess.CREATE_NO_WINDOW
    return 0


if __name__ == "__main__":
    sys.exit(main())
