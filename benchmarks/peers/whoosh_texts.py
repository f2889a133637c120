"""Texts in Whoosh as it comes: index them, add one, and time queries.

    python whoosh_texts.py IN OUT

IN and OUT: see `fts5_texts.py`. The field is Whoosh's TEXT with its standard analyzer and positions, the texts
stored for snippets.
"""

from __future__ import annotations

import json
import sys
import time
import warnings
from collections import defaultdict
from pathlib import Path
from typing import Any

warnings.simplefilter("ignore")

from whoosh import fields, index, qparser, query  # noqa: E402

FIELD = "text"


def parsed(asked: dict[str, Any], parser: Any) -> Any:
    """The query: any of the words, a phrase, or a prefix."""
    if asked["kind"] == "phrase":
        return parser.parse(f'"{" ".join(asked["words"])}"')
    if asked["kind"] == "prefix":
        return query.Prefix(FIELD, asked["words"][0])
    return query.Or([query.Term(FIELD, word) for word in asked["words"]])


def main() -> None:
    """Do it all and write what it cost."""
    asked = json.loads(Path(sys.argv[1]).read_bytes())
    schema = fields.Schema(kind=fields.ID(stored=True), text=fields.TEXT(stored=True))
    made = index.create_in(asked["folder"], schema)
    wall, cpu = time.perf_counter(), time.process_time()
    writer = made.writer(limitmb=256)
    with Path(asked["texts"]).open("rb") as lines:
        for one in map(json.loads, lines):
            writer.add_document(kind=one["kind"], text=one["text"])
    writer.commit()
    found: dict[str, Any] = {"wall": time.perf_counter() - wall, "cpu": time.process_time() - cpu}
    status = Path("/proc/self/status").read_text(encoding="ascii")
    found["peak"] = next(int(line.split()[1]) for line in status.splitlines() if line.startswith("VmHWM")) / 1024
    found["bytes"] = sum(path.stat().st_size for path in Path(asked["folder"]).iterdir())
    wall = time.perf_counter()
    writer = made.writer()
    writer.add_document(kind="prompt", text="look at zyxquorvane again")
    writer.commit(merge=False)
    with made.searcher() as searcher:
        searcher.search(query.Term(FIELD, "zyxquorvane"))
    found["appended"] = time.perf_counter() - wall
    latencies: dict[str, list[float]] = defaultdict(list)
    parser = qparser.QueryParser(FIELD, schema)
    with made.searcher() as searcher:
        for one in asked["queries"]:
            begun = time.perf_counter()
            for hit in searcher.search(parsed(one, parser), limit=10):
                hit.highlights(FIELD, top=1)
            latencies[one["kind"]].append((time.perf_counter() - begun) * 1000)
    Path(sys.argv[2]).write_text(json.dumps({**found, "latencies": latencies}), encoding="utf-8")


if __name__ == "__main__":
    main()
