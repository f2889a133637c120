"""Commands run on a home of sessions, with what each of them cost."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import ParamSpec, TypeVar

from environments import cache_folder
from stdio import UNWANTED

P = ParamSpec("P")
T = TypeVar("T")

OURS = (sys.executable, "-m", "prune_mcp.server")
# What would tell a program which session asks, or where other sessions stand.
HOSTS = ("CLAUDE", "CODEX", "GEMINI", "OPENCODE", "PI_", "PRUNE_MCP", "MNEMO", "XDG_")


@dataclass(frozen=True)
class Run:
    """One command: its seconds, the most memory that one of its processes held (MB), and what it printed."""

    wall: float
    cpu: float
    peak: float
    out: str


class CommandFailed(Exception):
    """A measured command ended with an exit code that says so; the message ends with what it printed."""


def environment(home: Path, state: Path) -> dict[str, str]:
    """The environment of a user whose home is `home`; what programs keep goes under `state`."""
    kept = {name: value for name, value in os.environ.items() if not name.startswith(HOSTS)}
    return {name: value for name, value in kept.items() if name not in UNWANTED} | {
        "HOME": str(home),
        "PRUNE_MCP_HOME": str(state / "prune-mcp"),
        "XDG_CACHE_HOME": str(state / "cache"),
        "XDG_DATA_HOME": str(state / "data"),
        "XDG_CONFIG_HOME": str(state / "config"),
        "PYTHONPYCACHEPREFIX": str(cache_folder() / "compiled"),
    }


def run(command: Sequence[str], env: Mapping[str, str], codes: Sequence[int] = (0,)) -> Run:
    """Run a command to its end.

    Raises:
        CommandFailed: its exit code is none of `codes`.
    """
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as errors:
        begun = time.perf_counter()
        process = subprocess.Popen(
            command, env=dict(env), cwd=env["HOME"], stdin=subprocess.DEVNULL, stdout=out, stderr=errors
        )
        _, status, usage = os.wait4(process.pid, 0)
        wall = time.perf_counter() - begun
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        errors.seek(0)
        if process.returncode not in codes:
            said = (out.read() + errors.read())[-2000:].decode(errors="replace")
            raise CommandFailed(f"{' '.join(command)}: exit code {process.returncode}: {said}")
        cpu = usage.ru_utime + usage.ru_stime
        return Run(wall, cpu, usage.ru_maxrss / 1024, out.read().decode(errors="replace"))


def apart(work: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
    """What `work` returns, done in a process of its own.

    A command's most memory is never told as less than its parent holds when it starts it: that has to stay small.
    """
    with ProcessPoolExecutor(1) as pool:
        return pool.submit(work, *arguments, **named).result()


def median(make: Callable[[], Run], rounds: int) -> Run:
    """The run of median duration among some; the first, which warms caches, is left out."""
    runs = [make() for _ in range(rounds + 1)][1:]
    return sorted(runs, key=lambda one: one.wall)[len(runs) // 2]


def percentile(values: Sequence[float], share: float) -> float:
    """The value at a share of the ordered ones."""
    return statistics.quantiles(values, n=100, method="inclusive")[round(share * 100) - 1]


def size(folder: Path) -> int:
    """Bytes of all files under a folder, or of one file; 0 where there is none."""
    if folder.is_file():
        return folder.stat().st_size
    return sum(path.stat().st_size for path in folder.rglob("*") if path.is_file() and not path.is_symlink())
