"""Result tables: committed beside the benchmarks as JSON and Markdown, and quoted in the documentation page.

The layout is deterministic and names no machine: no times, no paths, only ratios, shares and counts.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

RESULTS = Path(__file__).parent / "results"
PAGE = Path(__file__).parent.parent / "docs" / "benchmarks.md"

Cell = str | int | float


@dataclass(frozen=True)
class Table:
    """One table: its title, its columns, rows in order, and notes below it."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    notes: Sequence[str] = field(default=())

    def markdown(self) -> str:
        """The table as Markdown."""
        lines = [f"**{self.title}**", "", _line(self.columns), _line(["---"] + ["---:"] * (len(self.columns) - 1))]
        lines += [_line([_cell(cell) for cell in row]) for row in self.rows]
        for note in self.notes:
            lines += ["", note]
        return "\n".join(lines) + "\n"


def publish(name: str, command: str, tables: Sequence[Table], facts: dict[str, Any]) -> None:
    """Print the tables, write `results/NAME.md` and `.json`, and quote them in the documentation page."""
    text = f"Made by `{command}`.\n\n" + "\n".join(table.markdown() for table in tables)
    print(text)
    RESULTS.mkdir(exist_ok=True)
    (RESULTS / f"{name}.md").write_text(text, encoding="utf-8")
    data = json.dumps({"command": command, **facts}, indent=1, ensure_ascii=False, sort_keys=True)
    (RESULTS / f"{name}.json").write_text(data + "\n", encoding="utf-8")
    if PAGE.exists():
        PAGE.write_text(quoted(PAGE.read_text(encoding="utf-8"), name, text), encoding="utf-8")


def quoted(page: str, name: str, text: str) -> str:
    """The page with `text` between its markers `<!-- results: NAME -->` and `<!-- end -->`."""
    between = re.compile(rf"(<!-- results: {re.escape(name)} -->\n).*?(<!-- end -->)", re.DOTALL)
    return between.sub(lambda found: found[1] + text + found[2], page)


def _line(cells: Sequence[str]) -> str:
    return "| " + " | ".join(cells) + " |"


def _cell(cell: Cell) -> str:
    return f"{cell:.1f}" if isinstance(cell, float) else str(cell)
