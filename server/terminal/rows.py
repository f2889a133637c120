"""How a row of the tree is written in the browser: what it is, and its numbers in columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from rich.cells import cell_len, set_cell_size
from rich.text import Text

from prune_mcp.engine.answers import TreeAnswer, TreeRow
from prune_mcp.engine.recovery.fence import counted
from prune_mcp.server.commands.console import visible

# Columns of the screen from which lines, and the state, have room.
LINES, STATE = 72, 100
# The widest a state is shown.
STATES = 22
GAP = 2


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns right of what a row is: each a name and a width. `width`: of the whole row."""

    width: int
    numbers: tuple[tuple[str, int], ...]
    state: int

    @property
    def right(self) -> int:
        """The cells that all columns take."""
        return sum(width + GAP for _, width in self.numbers) + (self.state + GAP if self.state else 0)


def measured(rows: Sequence[TreeRow], width: int) -> Columns:
    """The columns that these rows need on a screen with so many columns."""
    names = ["chars", "lines", "saved"] if width >= LINES else ["chars", "saved"]
    numbers = tuple(
        (name, max(len(_title(name, width)), *(len(f"{getattr(row, name):,}") for row in rows))) for name in names
    )
    widest = max(cell_len(one_line(row.status)) for row in rows)
    return Columns(width, numbers, min(STATES, max(widest, len("state"))) if width >= STATE else 0)


def titles(columns: Columns) -> str:
    """The names of the columns, above them."""
    cells = ["what".ljust(columns.width - columns.right)]
    if columns.state:
        cells.append("state".ljust(columns.state))
    cells += [_title(name, columns.width).rjust(width) for name, width in columns.numbers]
    return (" " * GAP).join(cells)


def _title(name: str, width: int) -> str:
    """What a column is called on a screen so wide; on a narrow one the line on top says of what it is."""
    return "tokens saved" if name == "saved" and width >= LINES else name


def label(row: TreeRow, columns: Columns, taken: int) -> Text:
    """A row as one line that fills the screen; `taken` cells of it are the indentation's."""
    room = max(1, columns.width - columns.right - taken)
    cells = [fitted(what(row), room)]
    if columns.state:
        cells.append(fitted(one_line(row.status), columns.state))
    cells += [f"{getattr(row, name):>{width},}" for name, width in columns.numbers]
    return Text((" " * GAP).join(cells), no_wrap=True, style="" if row.ref else "bold")


def what(row: TreeRow) -> str:
    """What a row is, on one line."""
    return one_line(f"{row.ref} {row.label}" if row.ref else row.label)


def details(row: TreeRow) -> str:
    """What a narrow screen leaves out of a row: its state, its lines, and its name in full."""
    return f"{one_line(row.status)}, {counted(row.lines, 'line')}: {what(row)}"


def heading(answer: TreeAnswer) -> str:
    """What a session's tree comes to, and whose it is."""
    title = f' "{one_line(answer.title)}",' if answer.title else ""
    sums = f"{counted(answer.outputs, 'output')}, {answer.pruned:,} pruned, {answer.saved:,} tokens saved"
    return f"{sums}:{title} {one_line(answer.session)}"


def one_line(text: str) -> str:
    """Text that stays on its line and cannot drive the terminal."""
    return visible(text).replace("\n", " ").replace("\t", " ")


def fitted(text: str, width: int) -> str:
    """Text in exactly so many cells: filled up, or cut with an ellipsis."""
    if cell_len(text) <= width:
        return set_cell_size(text, width)
    return set_cell_size(text, width - 1) + "\u2026"
