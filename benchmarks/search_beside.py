"""Search over past sessions beside what else is at hand, all in one run on one generated home.

    python benchmarks/search_beside.py [--megabytes 675]

ripgrep over the files; SQLite's FTS5 and Whoosh as they come, on the text that models saw; two tools of the kind,
mnemo-search and fast-resume. Each runs in an environment of its own, made with pip.
"""

from __future__ import annotations

import argparse
import json
import statistics
import tempfile
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import search_measures
from environments import Peer, cache_folder
from environments import environment as python_of
from generated import copied, generated
from queries import Query, extracted, queries
from report import Cell, Table, publish
from running import OURS, Run, apart, environment, median, percentile, run, size
from search_tools import MNEMO, Tool, fast_resume, mnemo, ours, plain, ripgrep
from shape import shape
from stdio import Server

COMMAND = "python benchmarks/search_beside.py"
FTS5 = Peer("whoosh", ("whoosh==2.7.4",), "fts5_texts.py")
WHOOSH = Peer("whoosh", ("whoosh==2.7.4",), "whoosh_texts.py")

KINDS = ("rare", "selective", "common", "four words", "phrase", "prefix")
PER_KIND = 3
ROUNDS = 3
NEEDLE = search_measures.NEEDLE
NO_CHANGE = "-"


@dataclass
class Found:
    """What one tool cost: seconds, MB, bytes; `cold` and `warm` milliseconds by kind of query."""

    tool: str
    covers: str
    index: Run | None = None
    bytes: int = 0
    unchanged: float | None = None
    appended: float | None = None
    cold: dict[str, list[float]] = field(default_factory=dict)
    warm: dict[str, list[float]] = field(default_factory=dict)
    answer: int = 0


def measured(tool: Tool, home: Path, state: Path, asked: Sequence[Query]) -> Found:
    """Index, refresh, append and search with one tool."""
    env = environment(home, state)
    found = Found(tool.name, tool.covers)
    nowhere = state.with_name("nowhere")
    nowhere.mkdir(exist_ok=True)
    if tool.index:
        found.index = run(tool.index, env)
        found.bytes = sum(size(home.parent / kept) for kept in tool.kept)
        empty = environment(nowhere, state.with_name("empty"))
        start = _wall(tool.refresh, empty)
        asking = _wall(tool.search(Query("rare", (NEEDLE,))), empty)
        found.unchanged = _wall(tool.refresh, env) - start
        found.appended = _appended(tool, home, env) - asking - (0.0 if tool.fresh else start)
    for query in asked:
        found.cold.setdefault(query.kind, []).append(_wall(tool.search(query), env, 1) * 1000)
    return found


def _wall(command: Sequence[str], env: Mapping[str, str], rounds: int = ROUNDS) -> float:
    return median(lambda: run(command, env, (0, 1)), rounds).wall


def _appended(tool: Tool, home: Path, env: Mapping[str, str]) -> float:
    """Seconds until a line just written is found: one search, and one refresh where the tool needs it."""
    path = max(home.rglob(".claude/projects/*/*.jsonl"), key=lambda one: one.stat().st_mtime)
    spent: list[float] = []
    for number in range(ROUNDS):
        needle = f"{NEEDLE}{number}"
        search_measures.append(path, needle)
        refreshed = 0.0 if tool.fresh else run(tool.refresh, env).wall
        asked = run(tool.search(Query("rare", (needle,))), env, (0, 1))
        if path.stem not in asked.out and needle not in asked.out:
            raise SystemExit(f"{tool.name} does not find the line just written: {asked.out[:300]}")
        spent.append(refreshed + asked.wall)
    return statistics.median(spent)


def warm(command: Sequence[str], env: Mapping[str, str], home: Path, asked: Sequence[Query], found: Found,
         call: Callable[[Query], tuple[str, dict[str, Any]]]) -> None:  # fmt: skip
    """Ask a server over MCP what `call` says for each query; two calls first to warm it."""
    latencies: dict[str, list[float]] = defaultdict(list)
    answers: list[int] = []
    with Server(command, home, env=env) as server:
        server.initialize()
        for number, query in enumerate((*asked[:2], *asked)):
            name, arguments = call(query)
            begun = time.perf_counter()
            answer = server.call(name, **arguments)
            if number >= 2:
                latencies[query.kind].append((time.perf_counter() - begun) * 1000)
                answers.append(len(json.dumps(answer["content"]).encode()))
    found.warm = dict(latencies)
    found.answer = round(statistics.median(answers))


def engine(name: str, peer: Peer, texts: Path, asked: Sequence[Query]) -> Found:
    """Index and search extracted texts with an engine as it comes."""
    with tempfile.TemporaryDirectory(prefix="prune-mcp-engine-", dir=cache_folder()) as folder:
        questions = [{"kind": one.kind, "words": one.words} for one in asked]
        cost = peer.run({"texts": str(texts), "folder": folder, "queries": questions})
    index = Run(cost["wall"], cost["cpu"], cost["peak"], "")
    return Found(
        name, "all, extracted before", index, cost["bytes"], None, cost["appended"], warm=cost["latencies"]
    )


def run_all(megabytes: int) -> tuple[list[Found], int]:
    """Everything in one run, and how many bytes of text the home has."""
    source = generated(megabytes)
    every = [query for query in apart(queries, source) if query.kind in KINDS]
    few = [query for kind in KINDS for query in [one for one in every if one.kind == kind][:PER_KIND]]
    known = apart(shape, source)
    text = round(known.visible * known.megabytes * 1e6)
    found: list[Found] = []
    with copied(source) as (home, state):
        for tool in (ours(), mnemo(), fast_resume(), ripgrep()):
            found.append(measured(tool, home, state, few))
            if tool.name == "prune-mcp":
                warm(OURS, environment(home, state), home, every, found[-1],
                     lambda query: ("history_search", query.arguments))  # fmt: skip
            if tool.name.startswith("mnemo"):
                command = (str(python_of(MNEMO).with_name("mnemo")), "mcp")
                warm(command, environment(home, state), home, every, found[-1],
                     lambda query: ("search_sessions", {"query": plain(query), "limit": 10}))  # fmt: skip
    texts = cache_folder() / "texts.jsonl"
    with texts.open("w", encoding="utf-8") as file:
        for one in extracted(source):
            clean = one.text.encode(errors="replace").decode()
            file.write(json.dumps({"kind": one.kind, "text": clean}) + "\n")
    found += [engine("SQLite FTS5", FTS5, texts, every), engine("Whoosh 2.7.4 as it comes", WHOOSH, texts, every)]
    texts.unlink()
    return found, text


def tables(found: Sequence[Found], text: int, megabytes: float) -> list[Table]:
    """What indexing costs, and how long each kind of query takes."""
    title = f"{megabytes:.0f} MB of sessions, {text / 1e6:.0f} MB of text"
    first = found[0].index
    rows: list[tuple[Cell, ...]] = []
    for one in found:
        index = one.index
        rows.append((
            one.tool,
            one.covers,
            f"{index.cpu:.2f}" if index else NO_CHANGE,
            f"{index.cpu / first.cpu:.2f}" if index and first else NO_CHANGE,
            f"{index.wall:.1f}" if index else NO_CHANGE,
            f"{index.peak:.0f}" if index else NO_CHANGE,
            f"{one.bytes / 1e6:.0f}" if index else NO_CHANGE,
            f"{100 * one.bytes / text:.0f}" if index else NO_CHANGE,
            f"{max(one.unchanged, 0):.2f}" if one.unchanged is not None else NO_CHANGE,
            f"{max(one.appended, 0):.2f}" if one.appended is not None else NO_CHANGE,
        ))  # fmt: skip
    columns = ("tool", "covers", "index CPU s", "ours = 1", "wall s", "memory MB", "index MB", "of the text %",
               "nothing changed s", "line appended and found s")  # fmt: skip
    cold = [(one.tool, *(_middle(one.cold, kind) for kind in KINDS)) for one in found if one.cold]
    quick = [
        (one.tool, *(_both(one.warm, kind) for kind in KINDS), one.answer or NO_CHANGE)
        for one in found
        if one.warm
    ]
    return [
        Table(f"Indexing, {title}", columns, rows),
        Table(f"One command for one query, median ms, start included, {title}", ("tool", *KINDS), cold),
        Table(f"Queries of a running process, ms, p50 / p95, {title}", ("tool", *KINDS, "answer, bytes"), quick),
    ]


def figures(one: Found, text: int) -> dict[str, float]:
    """What of a tool is committed as figures."""
    cpu = one.index.cpu if one.index else 0.0
    return {"cpu": round(cpu, 1), "mb": round(one.bytes / 1e6), "share": round(one.bytes / text, 3)}


def _middle(times: Mapping[str, list[float]], kind: str) -> str:
    return f"{statistics.median(times[kind]):.0f}" if times.get(kind) else NO_CHANGE


def _both(times: Mapping[str, list[float]], kind: str) -> str:
    if not times.get(kind):
        return NO_CHANGE
    return f"{statistics.median(times[kind]):.1f} / {percentile(times[kind], 0.95):.1f}"


def main() -> None:
    """Measure, print and commit the tables."""
    parser = argparse.ArgumentParser(description="Search over past sessions beside other tools.")
    parser.add_argument("--megabytes", type=int, default=675)
    megabytes = parser.parse_args().megabytes
    found, text = run_all(megabytes)
    facts = {one.tool: figures(one, text) for one in found if one.index}
    publish("search_beside", COMMAND, tables(found, text, megabytes), {"beside": facts, "megabytes": megabytes})


if __name__ == "__main__":
    main()
