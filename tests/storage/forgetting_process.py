"""A process that cares for a store and dies at the n-th step of its that the system sees.

Arguments: the home's folder, what to do, at which step to die. Exits with 9 when it died, else with 0.
"""

from __future__ import annotations

import os
import sys

from prune_mcp.storage.home import home
from prune_mcp.storage.sqlite import open_store
from tests.storage.connections import every_connection

STEPS = ("os.remove", "os.rename", "open", "os.scandir", "os.mkdir", "sqlite3.connect/handle")


class Death:
    """Counts steps, and ends the process at one of them as a kill would: nothing is closed or flushed."""

    def __init__(self, last: int) -> None:
        self.left = last
        self.armed = False

    def watch(self, event: str, _: object) -> None:
        if event in STEPS:
            self.step()

    def step(self, _: str = "") -> None:
        if self.armed:
            self.left -= 1
            if self.left < 0:
                os._exit(9)


def main(folder: str, act: str, last: str) -> None:
    """Do it, and die on the way."""
    death = Death(int(last))
    sys.addaudithook(death.watch)
    store = open_store(home({"PRUNE_MCP_HOME": folder}))
    # What a transaction does is seen statement by statement.
    with every_connection(lambda connection: connection.set_trace_callback(death.step)):
        store.sessions()
    death.armed = True
    if act == "forget":
        store.care.forget(["mine"])
        store.care.resume()
    elif act == "release":
        store.care.release(["mine"], {output.sha for output in store.outputs("mine")})
    else:
        getattr(store.care, act)()
    death.armed = False


if __name__ == "__main__":
    main(*sys.argv[1:])
