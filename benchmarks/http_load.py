"""Many clients over HTTP on a full index: how long answers take, and what the server holds before and after.

    python benchmarks/http_load.py [--megabytes 50] [--clients 50] [--seconds 60]

Two fifths of the clients speak Streamable HTTP of each era, one fifth SSE. They search, read what was found, prune
messages, and bring back what was pruned. Once each asks again as soon as it is answered, once it waits in between.
"""

from __future__ import annotations

import argparse
import re
import threading
import time
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

from generated import copied, generated
from http_clients import CLIENTS, CallFailed, HttpClient
from http_server import Held, HttpServer, http_server
from queries import Query, queries
from report import Cell, Table, publish
from running import OURS, environment, percentile, run
from search_measures import text_of

COMMAND = "python benchmarks/http_load.py"
# Seconds that a person's agent lets pass between two calls, on average.
PAUSE = 5.0
WARMING_SECONDS = 10.0
# Between two looks at what the server holds.
LOOK_SECONDS = 0.5
FOUND = re.compile(r"^\d+\. (\S+@\S+)", re.MULTILINE)


@dataclass
class Load:
    """What clients saw. `latencies`: milliseconds by tool. `errors`: what was answered instead of results."""

    latencies: dict[str, list[float]] = field(default_factory=lambda: defaultdict(list))
    errors: list[str] = field(default_factory=list)

    @property
    def all(self) -> list[float]:
        """The milliseconds of all answers."""
        return [value for values in self.latencies.values() for value in values]


@dataclass
class Outcome:
    """A load with what the server held before it, at most, and after it."""

    load: Load
    before: Held
    most: Held
    after: Held


class Agent:
    """One client at work until a time; `pause`: seconds that it waits between two calls, on average."""

    def __init__(self, number: int, port: int, asked: Sequence[Query], load: Load) -> None:
        self.random = Random(number)
        self.number = number
        self._port = port
        self._asked = asked
        self._load = load
        self._entries: list[str] = []
        self._session = ""

    def work(self, until: float, pause: float) -> None:
        """Call tools until then; what goes wrong is kept."""
        try:
            client = CLIENTS[self.number % len(CLIENTS)](self._port)
            self._prune(client)
            while (left := until - time.monotonic()) > 0:
                time.sleep(min(left, self.random.expovariate(1 / pause) if pause else 0))
                self._step(client)
            client.close()
        except (CallFailed, OSError, LookupError, ValueError) as error:
            self._load.errors.append(f"client {self.number}: {type(error).__name__}: {error}")

    def _step(self, client: HttpClient) -> None:
        drawn = self.random.random()
        if drawn < 0.7 or not self._entries:
            query = self.random.choice(self._asked)
            found = self._timed(client, "history_search", **query.arguments)
            self._entries = FOUND.findall(text_of(found)) or self._entries
        elif drawn < 0.85:
            self._timed(client, "history_read", entry=self.random.choice(self._entries))
        elif drawn < 0.95:
            self._timed(client, "context_tree_query", session=self._session, refs=["t1"])
        else:
            self._prune(client)

    def _prune(self, client: HttpClient) -> None:
        answer = self._timed(client, "prune_context", messages=conversation(self.number))
        self._session = answer["structuredContent"]["session"]

    def _timed(self, client: HttpClient, tool: str, **arguments: Any) -> dict[str, Any]:
        begun = time.perf_counter()
        answer = client.call(tool, **arguments)
        self._load.latencies[tool].append((time.perf_counter() - begun) * 1000)
        return answer


def conversation(number: int) -> list[dict[str, Any]]:
    """Messages with some tool output, another for each number."""
    messages: list[dict[str, Any]] = [{"role": "user", "content": f"agent {number}"}]
    for turn in range(6):
        call = {"type": "tool_use", "id": f"call{turn}", "name": "Bash", "input": {"command": f"run {turn}"}}
        text = "".join(f"agent {number}, turn {turn}, line {line}: nothing of interest\n" for line in range(100))
        result = {"type": "tool_result", "tool_use_id": f"call{turn}", "content": text}
        messages += [{"role": "assistant", "content": [call]}, {"role": "user", "content": [result]}]
    return messages


def put(server: HttpServer, asked: Sequence[Query], clients: int, seconds: float, pause: float = 0.0) -> Outcome:
    """Put a load on the server: so many clients for so long."""
    load = Load()
    until = time.monotonic() + seconds
    agents = [Agent(number, server.port, asked, load) for number in range(clients)]
    threads = [threading.Thread(target=agent.work, args=(until, pause)) for agent in agents]
    seen = [server.settled()]
    for thread in threads:
        thread.start()
    while working := [thread for thread in threads if thread.is_alive()]:
        seen.append(server.held())
        working[0].join(LOOK_SECONDS)
    after = server.settled()
    most = Held(max(h.memory for h in seen), max(h.files for h in seen), max(h.threads for h in seen))
    return Outcome(load, seen[0], most, after)


def measure(megabytes: int, clients: int, seconds: float) -> tuple[dict[str, Outcome], list[str]]:
    """Both loads, and what the server said meanwhile."""
    source = generated(megabytes)
    asked = queries(source)
    with copied(source) as (home, state):
        env = environment(home, state)
        run((*OURS, "index"), env)
        with http_server(env) as server:
            # Until caches hold what they may.
            put(server, asked, clients, WARMING_SECONDS)
            outcomes = {
                "at once": put(server, asked, clients, seconds),
                f"after {PAUSE:.0f} s on average": put(server, asked, clients, seconds, PAUSE),
            }
            return outcomes, server.said


def rows(outcomes: Mapping[str, Outcome]) -> list[list[Cell]]:
    """A row for each load and tool."""
    lines: list[list[Cell]] = []
    for name, outcome in outcomes.items():
        for tool, times in [*sorted(outcome.load.latencies.items()), ("all", outcome.load.all)]:
            middle, high = f"{percentile(times, 0.5):.0f}", f"{percentile(times, 0.95):.0f}"
            lines.append([name, tool, len(times), middle, high])
    return lines


def held(outcomes: Mapping[str, Outcome]) -> list[list[Cell]]:
    """A row for each load: what the server held."""
    return [
        [
            name,
            len(outcome.load.errors),
            *(
                f"{each.memory:.0f} / {each.files} / {each.threads}"
                for each in (outcome.before, outcome.most, outcome.after)
            ),
        ]
        for name, outcome in outcomes.items()
    ]


def facts(outcomes: Mapping[str, Outcome], clients: int, seconds: float, said: Sequence[str]) -> dict[str, Any]:
    """What a test holds against the limits."""
    first, last = next(iter(outcomes.values())), list(outcomes.values())[-1]
    return {
        "clients": clients,
        "seconds": seconds,
        "calls": [len(outcome.load.all) for outcome in outcomes.values()],
        "p50": [round(percentile(outcome.load.all, 0.5)) for outcome in outcomes.values()],
        "p95": [round(percentile(outcome.load.all, 0.95)) for outcome in outcomes.values()],
        "errors": sum(len(outcome.load.errors) for outcome in outcomes.values()),
        "warnings": len(said),
        "memory": [round(first.before.memory), round(last.after.memory)],
        "files": [first.before.files, last.after.files],
        "threads": [first.before.threads, last.after.threads],
    }


def main() -> None:
    """Measure, print and commit the tables."""
    parser = argparse.ArgumentParser(description="Many clients over HTTP on a full index.")
    parser.add_argument("--megabytes", type=int, default=50)
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--seconds", type=float, default=60)
    given = parser.parse_args()
    outcomes, said = measure(given.megabytes, given.clients, given.seconds)
    for outcome in outcomes.values():
        print(*outcome.load.errors[:5], *said[:5], sep="\n")
    title = (
        f"{given.clients} clients for {given.seconds:.0f} s each on an index of {given.megabytes} MB of sessions"
    )
    tables = [
        Table(f"{title}, ms", ("asked again", "tool", "calls", "p50", "p95"), rows(outcomes)),
        Table(
            "What the server held: MB of memory / open files / threads",
            ("asked again", "errors", "before", "at most", "after"),
            held(outcomes),
        ),
    ]
    publish("http_load", COMMAND, tables, {"http_load": facts(outcomes, given.clients, given.seconds, said)})


if __name__ == "__main__":
    main()
