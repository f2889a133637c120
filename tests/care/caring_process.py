"""A process that cares for a store again and again, until its input ends; it says each fault it finds.

Arguments: the home's folder, what to do: `collect`, `check`, or `release` (the outputs of a session `own-...`).
"""

from __future__ import annotations

import contextlib
import sys
import threading

from prune_mcp.storage.errors import StoreBusy
from prune_mcp.storage.home import home
from prune_mcp.storage.protocol import Store
from prune_mcp.storage.sqlite import open_store


def once(store: Store, act: str) -> None:
    """Do it one time."""
    if act == "check":
        for fault in store.care.faults():
            print(fault, flush=True)
    elif act == "collect":
        store.care.collect()
        with contextlib.suppress(StoreBusy):
            store.care.tidy()
    else:
        store.care.garbage()
        latest = store.care.latest()
        old = [session for session in latest if session.startswith("own-")][:1]
        store.care.release(old, {body.sha for session in old for body in latest[session]})


def main(folder: str, act: str) -> None:
    """Do it until the input ends, at least once."""
    store = open_store(home({"PRUNE_MCP_HOME": folder}), timeout=60)
    ended = threading.Event()

    def wait() -> None:
        sys.stdin.read()
        ended.set()

    threading.Thread(target=wait, daemon=True).start()
    print("ready", flush=True)
    times = 0
    while not times or not ended.is_set():
        once(store, act)
        times += 1
    store.close()
    print("done", times, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
