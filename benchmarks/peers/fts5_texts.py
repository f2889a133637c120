"""Texts in SQLite's FTS5, as its documentation sets it up: index them, add one, and time queries.

    python fts5_texts.py IN OUT

IN: `texts` (a file of JSON lines with `kind` and `text`), `folder`, `queries` (`kind`, `words`). OUT: seconds, MB,
bytes, and milliseconds by kind of query.
"""

from __future__ import annotations

import json
import sqlite3
import sys
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

TOP = """SELECT rowid, snippet(texts, 1, '[', ']', '...', 24) FROM texts WHERE texts MATCH ?
ORDER BY rank LIMIT 10"""


def match(query: dict[str, Any]) -> str:
    """The query in FTS5's syntax: any of the words, a phrase, or a prefix."""
    if query["kind"] == "phrase":
        return f'"{" ".join(query["words"])}"'
    if query["kind"] == "prefix":
        return f"{query['words'][0]}*"
    return " OR ".join(f'"{word}"' for word in query["words"])


def main() -> None:
    """Do it all and write what it cost."""
    asked = json.loads(Path(sys.argv[1]).read_bytes())
    database = sqlite3.connect(Path(asked["folder"], "texts.db"))
    database.execute("CREATE VIRTUAL TABLE texts USING fts5(kind UNINDEXED, text)")
    wall, cpu = time.perf_counter(), time.process_time()
    with Path(asked["texts"]).open("rb") as lines, database:
        rows = ((one["kind"], one["text"]) for one in map(json.loads, lines))
        database.executemany("INSERT INTO texts VALUES (?, ?)", rows)
    found: dict[str, Any] = {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}
    status = Path("/proc/self/status").read_text(encoding="ascii")
    found["peak"] = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")) / 1024
    found["bytes"] = sum(path.stat().st_size for path in Path(asked["folder"]).iterdir())
    wall = time.perf_counter()
    with database:
        database.execute("INSERT INTO texts VALUES ('prompt', 'look at zyxquorvane again')")
    database.execute(TOP, ("zyxquorvane",)).fetchall()
    found["appended"] = time.perf_counter() - wall
    latencies: dict[str, list[float]] = defaultdict(list)
    for query in asked["queries"]:
        begun = time.perf_counter()
        database.execute(TOP, (match(query),)).fetchall()
        latencies[query["kind"]].append((time.perf_counter() - begun) * 1000)
    Path(sys.argv[2]).write_text(json.dumps({**found, "latencies": latencies}), encoding="utf-8")


if __name__ == "__main__":
    main()
