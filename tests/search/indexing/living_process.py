"""A process that does one thing on a machine again and again, until it is killed or standard input ends.

Each time it says so in a line on standard output. Arguments: the machine's folder, what to do (`index`, `read` or
`grow`), and a number that makes it differ from others.
"""

from __future__ import annotations

import os
import random
import sys
import threading
from contextlib import suppress
from pathlib import Path

from prune_mcp.search.indexing.progress import Progress
from prune_mcp.sessions.model import SessionError
from tests.search.indexing.machine import Machine, rows_told, scan
from tests.sessions.transcripts.writing import ClaudeFile

SESSIONS = 6


def index(machine: Machine, chance: random.Random) -> None:
    """Index in slices so small that most of the time something is half done."""

    def told(progress: Progress) -> None:
        print("at", progress.file, flush=True)

    report = machine.update(slice_bytes=chance.choice((1, 2_000, 20_000)), progress=told)
    print("indexed", report.files, report.busy, flush=True)


def read(machine: Machine, chance: random.Random) -> None:
    """Read every row, and whatever is pending, as a search would."""
    view = machine.index.view()
    assert not view.damaged
    rows = sum(len(rows_told(machine.index, view, source)) for source in view.sources)
    for one in machine.index.pending(machine.files(), view):
        # A session that is just written anew may be empty for a moment.
        with suppress(SessionError):
            scan(one, {})
    print("read", rows, flush=True)


class Growing:
    """Sessions of its own that grow, rewind, and now and then begin anew."""

    def __init__(self, number: int) -> None:
        self._number = number
        self._sessions: dict[int, ClaudeFile] = {}

    def grow(self, machine: Machine, chance: random.Random) -> None:
        number = self._number * 100 + chance.randrange(SESSIONS)
        session = self._sessions.setdefault(number, machine.session(number))
        if chance.random() < 0.05:
            session.path.write_bytes(b"")
            session.count, session.tip = 0, None
        word = f"w{chance.randrange(10**9)}"
        rewinds = session.count > 5 and chance.random() < 0.1
        parent = f"{session.count - 3:08x}-0000-4000-8000-000000000000"
        session.prompt(f"{word} question", **({"parent": parent} if rewinds else {}))
        session.turn(f"call-{word}", f"{word} output\n" * chance.randrange(300))
        session.says(f"{word} answer")
        print("grown", number, flush=True)


def main(folder: str, what: str, number: str) -> None:
    """Do it until told to stop."""
    ended = threading.Event()
    threading.Thread(target=wait_for_end, args=(ended,), daemon=True).start()
    machine = Machine(Path(folder))
    chance = random.Random(f"{what} {number}")
    work = {"index": index, "read": read, "grow": Growing(int(number)).grow}[what]
    print("ready", flush=True)
    while not ended.is_set():
        work(machine, chance)
    machine.close()


def wait_for_end(ended: threading.Event) -> None:
    """Wait for standard input to end."""
    while os.read(0, 1):
        pass
    ended.set()


if __name__ == "__main__":
    main(*sys.argv[1:])
