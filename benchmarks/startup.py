"""Start-up: from spawn to the first tool list, ours against an empty server on the bare SDK.

    python benchmarks/startup.py [--pairs 15]

Both run in turn, with compiled modules; what counts is the median of the pairs' ratios.
"""

from __future__ import annotations

import argparse
import statistics
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from report import Table, publish
from stdio import EMPTY, OURS, Server

COMMAND = "python benchmarks/startup.py"
LIMIT = 1.15


@dataclass(frozen=True)
class Start:
    """Seconds from spawn to the first tool list."""

    wall: float
    cpu: float


def start(command: Sequence[str], home: Path) -> Start:
    """Spawn a server, ask it for its tools, end it."""
    begun = time.perf_counter()
    with Server(command, home) as server:
        server.initialize()
        server.ask("tools/list")
        wall = time.perf_counter() - begun
        return Start(wall, server.end())


def measure(pairs: int) -> tuple[list[Start], list[Start]]:
    """Ours and the empty server in turn; the first start of each, which compiles its modules, is left out."""
    with tempfile.TemporaryDirectory(prefix="prune-mcp-startup-") as folder:
        home = Path(folder)
        runs = [pair(home, ours_first=bool(number % 2)) for number in range(pairs + 1)][1:]
    return [ours for ours, _ in runs], [empty for _, empty in runs]


def pair(home: Path, ours_first: bool) -> tuple[Start, Start]:
    """One start of ours and one of the empty server, in either order."""
    if ours_first:
        return start(OURS, home), start(EMPTY, home)
    empty = start(EMPTY, home)
    return start(OURS, home), empty


def main() -> None:
    """Measure, print and commit the table."""
    parser = argparse.ArgumentParser(description="Start-up against an empty server.")
    parser.add_argument("--pairs", type=int, default=15)
    ours, empty = measure(parser.parse_args().pairs)
    both = list(zip(ours, empty, strict=True))
    cpu = statistics.median(one.cpu / other.cpu for one, other in both)
    wall = statistics.median(one.wall / other.wall for one, other in both)
    rows = [("CPU time", f"{cpu:.2f}", f"{LIMIT:.2f}"), ("wall-clock time", f"{wall:.2f}", f"{LIMIT:.2f}")]
    table = Table("Start-up to the first tool list, an empty server = 1", ("measure", "ratio", "limit"), rows)
    publish(
        "startup", COMMAND, [table], {"startup": {"cpu": round(cpu, 3), "wall": round(wall, 3), "limit": LIMIT}}
    )


if __name__ == "__main__":
    main()
