"""Measuring search over past sessions on a home: the index, keeping it fresh, and answers over MCP.

Of wall-clock times the best of some rounds counts: whatever else the machine does can only add to them.
"""

from __future__ import annotations

import json
import statistics
import time
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import astuple, dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from generated import copied, generated
from queries import CLASSES, Query, queries
from running import OURS, Run, apart, environment, percentile, run, size
from shape import shape
from stdio import Server

ROUNDS = 15
# How often each query is asked, and each first search made.
AGAIN, FIRST = 12, 4
# Until the server has caught up and caches are warm.
WARMING = 2
NEEDLE = "zyxquorvane"
SELECTIVE = ("rare", "selective")


@dataclass
class Refreshed:
    """Seconds of commands on the home, and on one without sessions (`start`, `search_start`)."""

    start: float
    search_start: float
    unchanged: float
    appended_search: float
    appended_index: float


@dataclass
class Cost:
    """Seconds, MB of memory, bytes. `latencies`: milliseconds by class of query. `covered`: what a search without
    an index said that it covered."""

    megabytes: float
    text: int
    index: Run
    index_bytes: int
    pack_bytes: int
    refreshed: Refreshed
    unindexed: float
    covered: list[str]
    latencies: dict[str, list[float]] = field(default_factory=dict)
    answers: list[int] = field(default_factory=list)
    tools: int = 0


def measure(megabytes: int) -> Cost:
    """Measure all of it on a home of about so many megabytes."""
    source = generated(megabytes)
    asked = apart(queries, source)
    seen = apart(shape, source)
    text = round(seen.visible * seen.megabytes * 1e6)
    with copied(source) as (home, state):
        nowhere = state / "nowhere"
        nowhere.mkdir(parents=True)
        empty, env = environment(nowhere, state / "empty"), environment(home, state)
        unindexed, covered = first_search(home, state / "first", asked)
        index = run((*OURS, "index"), env)
        kept = Path(env["PRUNE_MCP_HOME"])
        cost = Cost(
            megabytes=seen.megabytes,
            text=text,
            index=index,
            index_bytes=size(kept / "cache"),
            pack_bytes=size(kept / "data"),
            refreshed=refreshed(home, env, empty),
            unindexed=unindexed,
            covered=covered,
        )
        warm(home, env, asked, cost)
    return cost


def first_search(home: Path, state: Path, asked: Sequence[Query]) -> tuple[float, list[str]]:
    """The slowest search of each class where nothing was ever indexed, and what it said that it left out."""
    slowest, notes = 0.0, list[str]()
    for kind in CLASSES:
        query = next(one for one in asked if one.kind == kind)
        command = (*OURS, "search", "--json", *options(query), "--", query.text)
        runs = [run(command, environment(home, state / f"{kind}-{n}"), (0, 1)) for n in range(FIRST)]
        found = min(runs, key=lambda one: one.wall)
        if found.wall > slowest:
            slowest, notes = found.wall, json.loads(found.out)["notes"]
    return slowest, notes


def options(query: Query) -> Iterator[str]:
    """A query's filters as options of the command line."""
    for name, value in query.filters:
        yield from (f"--{name}", value)


def refreshed(home: Path, env: Mapping[str, str], empty: Mapping[str, str]) -> Refreshed:
    """Nothing changed; a line just written, found by a search and indexed. Each is run beside its own start."""
    path = max(home.rglob(".claude/projects/*/*.jsonl"), key=lambda one: one.stat().st_mtime)
    rounds: list[Refreshed] = []
    for number in range(ROUNDS + 1):
        needle = f"{NEEDLE}{number}"
        start, unchanged = _wall(empty, "index"), _wall(env, "index")
        search_start = _wall(empty, "search", "--json", needle)
        append(path, needle)
        found = run((*OURS, "search", "--json", needle), env)
        if len(json.loads(found.out)["hits"]) != 1:
            raise SystemExit(f"The line just written was not found: {found.out[:500]}")
        rounds.append(Refreshed(start, search_start, unchanged, found.wall, _wall(env, "index")))
    # The first round only warms what the system keeps of files.
    return Refreshed(*(min(times) for times in zip(*map(astuple, rounds[1:]), strict=True)))


def _wall(env: Mapping[str, str], *arguments: str) -> float:
    return run((*OURS, *arguments), env).wall


def append(path: Path, text: str) -> None:
    """Write one more prompt at the end of a transcript of Claude Code's."""
    last = json.loads(path.read_bytes().rstrip(b"\n").rsplit(b"\n", 1)[-1])
    now = datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    uuid = f"{time.time_ns():032x}"
    line = {key: last[key] for key in ("isSidechain", "userType", "cwd", "sessionId", "version", "gitBranch")}
    line |= {"type": "user", "uuid": uuid, "parentUuid": last["uuid"], "timestamp": now}
    line["message"] = {"role": "user", "content": f"Please look at {text} again"}
    with path.open("ab") as file:
        file.write(json.dumps(line).encode() + b"\n")


def warm(home: Path, env: Mapping[str, str], asked: Sequence[Query], cost: Cost) -> None:
    """Latencies of `history_search` in a server that has answered before, and the sizes of its answers."""
    latencies: dict[str, list[float]] = defaultdict(list)
    with Server(OURS, home, env=env) as server:
        server.initialize()
        cost.tools = len(json.dumps(server.ask("tools/list")["tools"], separators=(",", ":")))
        for query in asked[:WARMING]:
            server.call("history_search", **query.arguments)
        for query in asked:
            spent: list[float] = []
            for _ in range(AGAIN):
                begun = time.perf_counter()
                answer = server.call("history_search", **query.arguments)
                spent.append((time.perf_counter() - begun) * 1000)
            latencies[query.kind].append(min(spent))
            cost.answers.append(len(text_of(answer).encode()))
    cost.latencies = dict(latencies)


def text_of(answer: dict[str, Any]) -> str:
    """The text of a tool's answer; an error answer ends the benchmark."""
    text = "\n".join(part["text"] for part in answer["content"] if part["type"] == "text")
    if answer.get("isError"):
        raise SystemExit(text)
    return text


def selective(cost: Cost) -> list[float]:
    """Latencies of queries that few texts answer."""
    return [value for kind in SELECTIVE for value in cost.latencies[kind]]


def everything(cost: Cost) -> list[float]:
    """Latencies of all queries."""
    return [value for values in cost.latencies.values() for value in values]


def facts(cost: Cost) -> dict[str, float]:
    """The figures that limits stand for."""
    return {
        "cpu": round(cost.index.cpu, 1),
        "peak": round(cost.index.peak),
        "share": round(100 * cost.index_bytes / cost.text, 1),
        "unchanged": round(cost.refreshed.unchanged - cost.refreshed.start, 3),
        "appended": round(cost.refreshed.appended_search - cost.refreshed.search_start, 3),
        "unindexed": round(cost.unindexed, 2),
        "selective": round(statistics.median(selective(cost)), 1),
        "common": round(statistics.median(cost.latencies["common"]), 1),
        "mix": round(percentile(everything(cost), 0.95), 1),
        "answer": round(statistics.median(cost.answers)),
    }
