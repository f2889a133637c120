"""How search over past sessions grows: the same measures on homes of several sizes.

python benchmarks/search_growth.py [--megabytes 10 50 200 675]
"""

from __future__ import annotations

import argparse
import statistics

from queries import CLASSES
from report import Table, publish
from search_measures import Cost, facts, measure

COMMAND = "python benchmarks/search_growth.py"
SIZES = (10, 50, 200, 675)


def table(costs: list[Cost]) -> Table:
    """One column for each size."""
    known = [facts(cost) for cost in costs]
    rows = [
        ("text, MB", *(f"{cost.text / 1e6:.1f}" for cost in costs)),
        ("first index, CPU s", *(f"{cost.index.cpu:.1f}" for cost in costs)),
        ("CPU ms for a MB of text", *(f"{1e9 * cost.index.cpu / cost.text:.0f}" for cost in costs)),
        ("most memory, MB", *(f"{cost.index.peak:.0f}" for cost in costs)),
        ("index, of the text %", *(f"{one['share']:.0f}" for one in known)),
        ("texts as kept, of the text %", *(f"{100 * cost.pack_bytes / cost.text:.0f}" for cost in costs)),
        ("nothing changed, beyond starting, s", *(f"{one['unchanged']:.3f}" for one in known)),
        ("line appended and found, beyond starting, s", *(f"{one['appended']:.3f}" for one in known)),
        ("slowest first search without an index, s", *(f"{one['unindexed']:.2f}" for one in known)),
        *((f"{kind}, p50 ms", *(f"{statistics.median(cost.latencies[kind]):.1f}" for cost in costs))
          for kind in CLASSES),
        ("all queries, p95 ms", *(f"{one['mix']:.1f}" for one in known)),
    ]  # fmt: skip
    columns = ("measure", *(f"{cost.megabytes:.0f} MB" for cost in costs))
    return Table("Growth with the size of the home", columns, rows)


def main() -> None:
    """Measure, print and commit the table."""
    parser = argparse.ArgumentParser(description="How search over past sessions grows.")
    parser.add_argument("--megabytes", type=int, nargs="+", default=SIZES)
    costs = [measure(megabytes) for megabytes in parser.parse_args().megabytes]
    publish("search_growth", COMMAND, [table(costs)], {"growth": {f"{c.megabytes:.0f}": facts(c) for c in costs}})


if __name__ == "__main__":
    main()
