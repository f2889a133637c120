"""Four servers and a command line on one index while sessions grow, one process killed every few seconds.

    python benchmarks/many_servers.py [--seconds 60]

Two hosts write: sessions begin, grow by torn lines, are rewound, written anew, deleted. Each needle that stands
when it is asked for must be found, once. In the end the index is compared with one made from scratch.
"""

from __future__ import annotations

import argparse
import json
import os
import shutil
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import anyio
from environments import cache_folder
from growing import Claude, Codex, Hosts
from report import Cell, Table, publish
from running import OURS, environment, percentile, run
from same_index import Held, held
from search_measures import text_of
from stdio import Server
from together import HITS, SERVERS, Together, Told

from prune_mcp.search.index import Index
from prune_mcp.storage.home import home

COMMAND = "python benchmarks/many_servers.py"
EVERY = 3.0
# Exchanges that are there before it begins: in the index, and not.
INDEXED, WAITING = 6, 12
# Nobody has written to what goes for so long (seconds): the last entries of a session may change for some minutes.
AT_REST = 86_400.0
SAME = ("agents", "pending", "pending_bytes", "skipped", "forgotten", "lost", "first", "last", "damaged", "busy")


@dataclass
class Outcome:
    """What happened, and the index beside one from scratch: `passages` in both, `missing` and `added` ones."""

    told: Told
    needles: int
    megabytes: float
    passages: int
    missing: int
    added: int
    status: dict[str, Any]
    expected: dict[str, Any]
    unfound: list[str]


def measure(folder: Path, seconds: float, every: float = EVERY) -> Outcome:
    """Run it in a folder, then check everything."""
    user, kept = folder / "home", folder / "deleted"
    user.mkdir()
    env = environment(user, folder / "state")
    hosts = Hosts(user)
    deleted = [hosts.write_whole(kind, INDEXED) for kind in (Claude, Codex)]
    for path in deleted:
        os.utime(path, (path.stat().st_mtime - AT_REST,) * 2)
    run((*OURS, "index"), env)
    for kind in (Claude, Codex):
        hosts.write_whole(kind, WAITING)
    kept.mkdir()
    for path in deleted:
        shutil.copy2(path, kept / path.name)
    together = Together(hosts, env, folder)
    anyio.run(together.run, seconds, every, deleted)
    return _checked(folder, env, hosts, together.told, deleted)


def _checked(folder: Path, env: dict[str, str], hosts: Hosts, told: Told, deleted: list[Path]) -> Outcome:
    """The index brought up to date, beside one made from scratch of the same sessions, the deleted ones too."""
    run((*OURS, "index"), env)
    scratch = environment(Path(env["HOME"]), folder / "scratch")
    for path in deleted:
        shutil.copy2(folder / "deleted" / path.name, path)
    run((*OURS, "index"), scratch)
    for path in deleted:
        path.unlink()
    run((*OURS, "index"), scratch)
    ours, theirs = (_held(one) for one in (env, scratch))
    return Outcome(
        told=told,
        needles=hosts.needles.written,
        megabytes=sum(path.stat().st_size for path in Path(env["HOME"]).rglob("*.jsonl")) / 1e6,
        passages=(ours & theirs).total(),
        missing=(theirs - ours).total(),
        added=(ours - theirs).total(),
        status=_status(env),
        expected=_status(scratch),
        unfound=_unfound(env, hosts.needles.all),
    )


def _held(env: Mapping[str, str]) -> Counter[Held]:
    index = Index(home(env))
    try:
        return held(index)
    finally:
        index.close()


def _status(env: Mapping[str, str]) -> dict[str, Any]:
    told = json.loads(run((*OURS, "index", "--status", "--json"), env).out)
    return {name: told[name] for name in SAME}


def _unfound(env: Mapping[str, str], needles: Sequence[str]) -> list[str]:
    """The needles that a server does not find exactly once."""
    with Server(OURS, Path(env["HOME"]), env=env) as server:
        server.initialize()
        answers = {needle: server.call("history_search", query=needle, all=True) for needle in needles}
    return [needle for needle, answer in answers.items() if len(HITS.findall(text_of(answer))) != 1]


def table(outcome: Outcome, seconds: float) -> Table:
    """What happened."""
    told = outcome.told
    kills = ", ".join(f"{count} x {victim}" for victim, count in sorted(told.kills.items()))
    rows: list[tuple[Cell, ...]] = [
        ("searches over MCP", len(told.seconds)),
        ("commands, `search` and `index`", told.commands.total()),
        ("p50 / p95 of a search over MCP, ms", f"{_ms(told, 0.5)} / {_ms(told, 0.95)}"),
        ("processes killed", f"{told.kills.total()} ({kills})"),
        ("errors to a caller, wrong answers", len(told.faults)),
        ("needles asked for and found once", told.found),
        ("answers that said they did not cover all", told.uncovered),
        ("needles written / not found in the end", f"{outcome.needles} / {len(outcome.unfound)}"),
        ("passages equal to an index from scratch", outcome.passages),
        ("missing / too many", f"{outcome.missing} / {outcome.added}"),
    ]
    title = f"{SERVERS} servers and a command line for {seconds:.0f} s on sessions that grow to"
    return Table(f"{title} {outcome.megabytes:.0f} MB", ("what", "measured"), rows)


def _ms(told: Told, share: float) -> str:
    return f"{1000 * percentile(told.seconds, share):.0f}"


def main() -> None:
    """Run it, print and commit the table."""
    parser = argparse.ArgumentParser(description="Many servers on one index.")
    parser.add_argument("--seconds", type=float, default=60)
    seconds = parser.parse_args().seconds
    with tempfile.TemporaryDirectory(prefix="prune-mcp-many-", dir=cache_folder()) as folder:
        outcome = measure(Path(folder), seconds)
    told = outcome.told
    facts = {
        "seconds": seconds,
        "searches": len(told.seconds),
        "kills": told.kills.total(),
        "faults": told.faults,
        "needles": outcome.needles,
        "unfound": outcome.unfound,
        "passages": outcome.passages,
        "missing": outcome.missing,
        "added": outcome.added,
        "status": outcome.status == outcome.expected,
        "p95": round(1000 * percentile(told.seconds, 0.95)),
    }
    publish("many_servers", COMMAND, [table(outcome, seconds)], {"many_servers": facts})


if __name__ == "__main__":
    main()
