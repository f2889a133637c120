"""What pruning costs: CPU time against parsing the transcript with orjson, and memory on a huge transcript.

    python benchmarks/cost.py [FOLDER] [--rounds 15] [--no-memory]

CPU: one process, the store's writes included, imports excluded. A transcript is pruned up to its last turn with
tools, then once more when that turn and the rest were appended; parsing runs before and after each prune, and
each ratio is taken against the mean of both. Two transcripts: the largest Claude Code one of FOLDER (default:
PRUNE_MCP_TEST_SESSIONS), and a generated one of 3.5 MB that was never compacted. Memory: the peak of a process
that prunes a generated transcript of 250 MB, less the peak of a bare interpreter.
"""

from __future__ import annotations

import argparse
import gc
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import orjson
import ours
from corpus import VARIABLE, blocks_of, transcripts
from generate import write_transcript
from report import Table, publish

COMMAND = "python benchmarks/cost.py FOLDER"
FIRST_LIMIT = 12.0
SECOND_LIMIT = 1.0
MEMORY_LIMIT_MB = 200
GENERATED_BYTES = 3_500_000
HUGE_BYTES = 250_000_000
PEAK = "print(next(l.split()[1] for l in open('/proc/self/status') if l.startswith('VmHWM')))"


@dataclass(frozen=True)
class Ratios:
    """CPU time of the prunes, parsing the same lines = 1."""

    first: float
    second: float
    rendered: float


def main() -> None:
    """Measure, print and commit the table."""
    parser = argparse.ArgumentParser(description="CPU time and memory of pruning.")
    parser.add_argument("folder", nargs="?", default=os.environ.get(VARIABLE))
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--no-memory", action="store_true")
    arguments = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="prune-mcp-cost-") as folder:
        work = Path(folder)
        ratios = {name: cpu(path, work, arguments.rounds) for name, path in samples(arguments.folder, work)}
        peak = None if arguments.no_memory else memory(work)
    report(ratios, peak)


def samples(folder: str | None, work: Path) -> Iterator[tuple[str, Path]]:
    """The largest recorded Claude Code transcript, where there is a folder, and a generated one."""
    found = [path for path in transcripts(Path(folder)) if ".claude" in path.parts] if folder else []
    if found:
        yield "recorded", max(found, key=lambda path: path.stat().st_size)
    made = work / "generated.jsonl"
    write_transcript(made, GENERATED_BYTES)
    yield "generated", made


def last_turn(lines: list[bytes]) -> int:
    """The index of the first line of the last turn with tools."""
    messages = [orjson.loads(line).get("message") or {} for line in lines]
    for message in reversed(messages):
        if any(block["type"] == "tool_use" for block in blocks_of(message)):
            return [other.get("id") for other in messages].index(message["id"])
    raise SystemExit("The transcript has no turn with tools.")


def seconds(work: Callable[[], object]) -> float:
    """CPU seconds of this process, all threads, for one run; garbage of earlier runs is collected before."""
    gc.collect()
    begun = time.process_time()
    work()
    return time.process_time() - begun


def cpu(source: Path, work: Path, rounds: int) -> Ratios:
    """The medians of the rounds' ratios; a first round warms up and is left out."""
    lines = source.read_bytes().splitlines(keepends=True)
    cut = last_turn(lines)
    measured = [one_round(lines, cut, work / f"round-{number}") for number in range(rounds + 1)][1:]
    return Ratios(*(statistics.median(column) for column in zip(*measured, strict=True)))


def one_round(lines: list[bytes], cut: int, folder: Path) -> tuple[float, float, float]:
    """Ratios of the first prune, the second after one more turn, and the second rendered too."""
    project = folder / "home" / ".claude" / "projects" / "-home-user-project"
    project.mkdir(parents=True)
    path = project / "session.jsonl"
    path.write_bytes(b"".join(lines[:cut]))
    engine = ours.engine(folder)
    before = seconds(lambda: parse(path))
    first = seconds(lambda: engine.prune_transcript(path, render=False))
    between = seconds(lambda: parse(path))
    with path.open("ab") as file:
        file.writelines(lines[cut:])
    second = seconds(lambda: engine.prune_transcript(path, render=False))
    after = seconds(lambda: parse(path))
    rendered = seconds(lambda: list(engine.prune_transcript(path, render=True).messages))
    engine.close()
    shutil.rmtree(folder)
    return first / mean(before, between), second / mean(between, after), rendered / after


def mean(one: float, other: float) -> float:
    """The mean of two measurements."""
    return (one + other) / 2


def parse(path: Path) -> None:
    """What pruning is held against: every line through orjson."""
    with path.open("rb") as lines:
        for line in lines:
            orjson.loads(line)


def memory(work: Path) -> float:
    """Megabytes that pruning a huge transcript peaks at, above a bare interpreter."""
    project = work / "home" / ".claude" / "projects" / "-home-user-project"
    project.mkdir(parents=True)
    path = project / "huge.jsonl"
    write_transcript(path, HUGE_BYTES)
    script = Path(__file__).parent / "prune_once.py"
    pruned = peak([str(script), str(path), str(work / "store")])
    path.unlink()
    return (pruned - peak(["-c", PEAK])) / 1000


def peak(arguments: list[str]) -> int:
    """The peak memory that a Python process prints last, in kB."""
    done = subprocess.run([sys.executable, *arguments], stdout=subprocess.PIPE, check=True)
    return int(done.stdout.split()[-1])


def report(ratios: dict[str, Ratios], peak_mb: float | None) -> None:
    """Print and commit the table; without memory or recorded sessions, only print."""
    rows = []
    for name, found in ratios.items():
        rows += [
            (f"first prune, {name}", f"{found.first:.1f} x parsing", f"{FIRST_LIMIT:.0f} x"),
            (f"second prune, {name}, one more turn", f"{found.second:.2f} x parsing", f"{SECOND_LIMIT:.0f} x"),
            (f"a prune that renders all messages, {name}", f"{found.rendered:.2f} x parsing", "-"),
        ]
    facts: dict[str, Any] = {name: rounded(found) for name, found in ratios.items()}
    if peak_mb is None or "recorded" not in ratios:
        print(json.dumps(facts))
        return
    rows.append(("memory, 250 MB transcript", f"{peak_mb:.0f} MB over bare Python", f"{MEMORY_LIMIT_MB} MB"))
    facts["memory_mb"] = round(peak_mb)
    limits = {"first": FIRST_LIMIT, "second": SECOND_LIMIT, "memory_mb": MEMORY_LIMIT_MB}
    table = Table("Cost of pruning a Claude Code transcript", ("what", "measured", "limit"), rows)
    publish("cost", COMMAND, [table], {"cost": facts, "limits": limits})


def rounded(found: Ratios) -> dict[str, float]:
    """The ratios as committed."""
    return {name: round(value, 2) for name, value in asdict(found).items()}


if __name__ == "__main__":
    main()
