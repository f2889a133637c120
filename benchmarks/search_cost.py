"""What search over past sessions costs: the index, keeping it fresh, and answers over MCP.

    python benchmarks/search_cost.py [--megabytes 675]

On a generated home (`home.py`), nothing of it capped or left out. Times of commands are beside those of the same
command on a home without sessions, which is what starting it costs.
"""

from __future__ import annotations

import argparse
import statistics

from generated import generated
from queries import CLASSES
from report import Table, publish
from running import percentile
from search_measures import Cost, everything, facts, measure, selective
from shape import transcripts

COMMAND = "python benchmarks/search_cost.py"
LIMITS = {
    "cpu": 150.0,
    "peak": 400.0,
    "share": 80.0,
    "unchanged": 0.1,
    "appended": 0.15,
    "unindexed": 2.0,
    "selective": 25.0,
    "common": 100.0,
    "mix": 150.0,
    "answer": 4000,
}


def tables(cost: Cost) -> list[Table]:
    """What it costs, and how long answers take."""
    known = facts(cost)
    rows = [
        ("first index, CPU", f"{known['cpu']:.1f} s", "150 s"),
        ("first index, wall clock", f"{cost.index.wall:.1f} s", "-"),
        ("first index, CPU for a MB of transcripts", f"{1000 * cost.index.cpu / cost.megabytes:.0f} ms", "-"),
        ("first index, most memory", f"{known['peak']:.0f} MB", "400 MB"),
        ("index, of the text", f"{known['share']:.1f} %", "80 %"),
        ("texts as kept, of the text", f"{100 * cost.pack_bytes / cost.text:.1f} %", "-"),
        ("starting `index`, no sessions", f"{cost.refreshed.start:.2f} s", "-"),
        ("nothing changed, beyond starting", f"{known['unchanged']:.3f} s", "0.1 s"),
        ("starting `search`, no sessions", f"{cost.refreshed.search_start:.2f} s", "-"),
        ("one line appended and found, beyond starting", f"{known['appended']:.3f} s", "0.15 s"),
        (
            "one line indexed, beyond starting",
            f"{cost.refreshed.appended_index - cost.refreshed.start:.3f} s",
            "-",
        ),
        ("slowest first search without an index", f"{known['unindexed']:.2f} s", "2 s"),
    ]
    asked = [
        (kind, len(times), f"{statistics.median(times):.1f}", f"{percentile(times, 0.95):.1f}", "-")
        for kind, times in ((kind, cost.latencies[kind]) for kind in CLASSES)
    ]
    middle = statistics.median(selective(cost))
    asked.append(("rare and selective words", len(selective(cost)), f"{middle:.1f}", "-", "p50 25"))
    asked.append(("common words", len(cost.latencies["common"]), f"{known['common']:.1f}", "-", "p50 100"))
    mix = everything(cost)
    asked.append(("all", len(mix), f"{statistics.median(mix):.1f}", f"{known['mix']:.1f}", "p95 150"))
    known_answers = (
        f"Answers of ten hits: median {known['answer']} bytes, largest {max(cost.answers)}; limit 4000."
    )
    said = " ".join(cost.covered) or "nothing was left out"
    title = f"{cost.megabytes:.0f} MB of sessions, {cost.text / 1e6:.0f} MB of text"
    columns = ("queries", "n", "p50", "p95", "limit")
    return [
        Table(title, ("what", "measured", "limit"), rows, [f"Said by that first search: {said}"]),
        Table(f"`history_search` over MCP, ms, {title}", columns, asked, [f"{known_answers}"]),
    ]


def main() -> None:
    """Measure, print and commit the tables."""
    parser = argparse.ArgumentParser(description="What search over past sessions costs.")
    parser.add_argument("--megabytes", type=int, default=675)
    megabytes = parser.parse_args().megabytes
    cost = measure(megabytes)
    measured = {"megabytes": round(cost.megabytes), "files": len(transcripts(generated(megabytes)))}
    publish("search_cost", COMMAND, tables(cost), {"search": {**facts(cost), **measured}, "limits": LIMITS})


if __name__ == "__main__":
    main()
