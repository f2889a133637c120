"""A process that writes to a store and says what was acknowledged: one JSON line for each write.

Arguments: the home's folder, this process's name, how many writes to do (-1: until killed). It says "ready"
and waits for a line before it begins.
"""

from __future__ import annotations

import json
import random
import sys

from prune_mcp.storage.home import home
from prune_mcp.storage.protocol import Writer
from prune_mcp.storage.records import ChainBlock, Flush, Output, SessionRecord
from prune_mcp.storage.sqlite import open_store

COMMON = "common"
SIZES = (0, 40, 3_000, 3_000, 20_000, 120_000, 400_000)


def text(mark: str) -> str:
    """The text that stands for a mark: of any size, some of them in files of their own."""
    chance = random.Random(mark)
    size = chance.choice(SIZES)
    return mark + chance.randbytes(size // 4).hex() + "." * (size // 2)


def write(writer: Writer, name: str, number: int) -> list[tuple[str, int, str]]:
    """One write to a session of all processes and to one's own; returns (session, ref, mark) of each output."""
    acknowledged = []
    for session in (COMMON, f"own-{name}"):
        writer.session(SessionRecord(session))
        # Every process archives the marks `all-...`: they are one and the same output in the common session.
        marks = [f"all-{number // 2}", *(f"{name}-{number}-{n}" for n in range(number % 3))]
        drafts = [(Output(0, f"call-{mark}", "entry", ""), text(mark).encode()) for mark in marks]
        outputs = writer.archive(session, drafts)
        writer.facet(session, outputs[-1].ref, "args", text(f"args {marks[-1]}").encode())
        acknowledged += [(session, output.ref, mark) for output, mark in zip(outputs, marks, strict=True)]
        document = writer.body(text(f"document {name} {number}").encode())
        writer.block(session, ChainBlock(0, "open", name, "", str(number), document))
        writer.flush(session, Flush(0, note=f"{name}-{number}", frontier=outputs[-1].ref))
    return acknowledged


def main(folder: str, name: str, writes: str) -> None:
    """Write and say so."""
    store = open_store(home({"PRUNE_MCP_HOME": folder}), timeout=60)
    print("ready", flush=True)
    sys.stdin.readline()
    number = 0
    while number != int(writes):
        with store.write() as writer:
            acknowledged = write(writer, name, number)
        print(json.dumps(acknowledged), flush=True)
        number += 1
    store.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
