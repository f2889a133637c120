"""What the command line prints: tables in a terminal, plain columns when piped, JSON, messages on stderr."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any

from prune_mcp.server.unicode import clean

if TYPE_CHECKING:
    from collections.abc import Callable

# Control characters of a recorded text could drive the terminal; newline and tab are harmless.
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")

# What is to be bold stands between these until it is printed; no font has them.
START, END = "\ue0fe", "\ue0ff"
STYLES = str.maketrans({START: "\x1b[1m", END: "\x1b[0m"})

# Columns between two cells, and columns below which no cell of words is squeezed: a terminal breaks lines itself.
GAP = 2
LEAST = 8
# Terminals that print what drives others.
DUMB = ("dumb", "unknown")


def prepare() -> None:
    """Write UTF-8 whatever the locale; recorded text holds every character there is. A terminal is never taken for
    one of no columns, as some that draw for a program say they are."""
    if not os.environ.get("COLUMNS", "1").strip("0"):
        del os.environ["COLUMNS"]
    for stream in (sys.stdout, sys.stderr):
        reconfigure: Callable[..., None] | None = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding="utf-8", errors="replace")


def say(text: str) -> None:
    """One message for the person, on stderr; where nobody can be told, what is done goes on."""
    with suppress(OSError):
        print(visible(text), file=sys.stderr)


def out(text: str) -> None:
    """Text on stdout: exact when piped, control characters made visible in a terminal."""
    print(clean(text) if piped() else visible(text))


def bold(text: str) -> str:
    """Text to be shown bold by `out_marked`."""
    return f"{START}{text}{END}"


def out_marked(text: str) -> None:
    """Text on stdout as `out` does it; what `bold` marked is bold in a terminal (see `shows_bold`)."""
    print(clean(text) if piped() else visible(text).translate(STYLES))


def shows_bold() -> bool:
    """Whether stdout is a terminal that shows bold text as such."""
    return not piped() and os.environ.get("TERM", "").lower() not in DUMB


def out_json(value: Any) -> None:
    """A JSON value on stdout; text that is not valid Unicode stays exact, as escapes."""
    print(json.dumps(value, indent=2))


def visible(text: str) -> str:
    """Text that cannot drive a terminal: each control character as its picture (␛ for escape)."""
    return CONTROL.sub(_picture, clean(text))


def piped() -> bool:
    """Whether stdout is read by a program: then nothing is cut to fit."""
    return not sys.stdout.isatty()


def short_ids(ids: Sequence[str]) -> Mapping[str, str]:
    """What sessions are called in a table: shortened where a person reads it, by their whole ids where piped."""
    from prune_mcp.sessions.beginnings import shortened

    return {id: id for id in ids} if piped() else shortened(ids)


def width() -> int:
    """The columns of the terminal; endless when piped."""
    return sys.maxsize if piped() else shutil.get_terminal_size().columns


def table(
    columns: Sequence[str], rows: Sequence[Sequence[Any]], numbers: Sequence[str] = (), cut: Sequence[str] = ()
) -> None:
    """A table on stdout, a line for each row; the columns named in `numbers` are aligned to the right.

    In a terminal the cells of the columns in `cut` are shortened until a row fits; those of other columns stay
    whole, on several lines where they have to.
    """
    cells = [[_cell(value) for value in row] for row in rows]
    if piped():
        _plain(columns, cells, numbers)
    else:
        _pretty(columns, cells, numbers, cut)


@contextmanager
def progress() -> Iterator[Callable[[float, float, str], None]]:
    """A progress function that draws a bar on stderr while in a terminal, and nothing elsewhere."""
    if not sys.stderr.isatty():
        yield lambda done, total, message: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn(), TimeRemainingColumn())
    with Progress(*columns, console=Console(stderr=True), transient=True) as bar:
        task = bar.add_task("reading", total=None)

        def report(done: float, total: float, message: str) -> None:
            bar.update(task, completed=done, total=total, description=message)

        yield report


def _picture(match: re.Match[str]) -> str:
    code = ord(match[0])
    return chr(0x2400 + code) if code < 0x20 else "\u2421" if code == 0x7F else "\ufffd"


def _cell(value: Any) -> str:
    if isinstance(value, bool) or value is None:
        return "yes" if value else ""
    if isinstance(value, int):
        return f"{value:,}"
    return visible(str(value)).replace("\n", " ").replace("\t", " ")


def _pretty(columns: Sequence[str], rows: list[list[str]], numbers: Sequence[str], cut: Sequence[str]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    texts = [[Text(cell) for cell in row] for row in rows]
    for at, most in _room(columns, rows, cut).items():
        for line in texts:
            line[at].truncate(most, overflow="ellipsis")
    shown = Table(box=None, header_style="bold", pad_edge=False, padding=(0, GAP, 0, 0))
    for column in columns:
        right = column in numbers
        shown.add_column(column, justify="right" if right else "left", no_wrap=right)
    for line in texts:
        shown.add_row(*line)
    # Both are named, since rich takes a terminal without colors for one of 80 columns.
    size = shutil.get_terminal_size()
    Console(width=max(size.columns, _least(columns, rows, numbers)), height=size.lines).print(shown)


def _least(columns: Sequence[str], rows: list[list[str]], numbers: Sequence[str]) -> int:
    """Columns that a table takes at least: in fewer, cells would vanish."""
    from rich.cells import cell_len

    needs = [max(map(cell_len, cells)) for cells in zip(columns, *rows, strict=True)]
    least = [need if column in numbers else min(need, LEAST) for column, need in zip(columns, needs, strict=True)]
    return sum(least) + GAP * len(columns)


def _room(columns: Sequence[str], rows: list[list[str]], cut: Sequence[str]) -> dict[int, int]:
    """How wide the cells of each column in `cut` may be, by its index: what the other columns leave, shared."""
    from rich.cells import cell_len

    needs = [max(map(cell_len, (column, *cells))) for column, *cells in zip(columns, *rows, strict=True)]
    left = width() - GAP * (len(columns) - 1) - sum(needs)
    given: dict[int, int] = {}
    waiting = sorted((at for at, column in enumerate(columns) if column in cut), key=lambda at: needs[at])
    left += sum(needs[at] for at in waiting)
    while waiting:
        at = waiting.pop(0)
        given[at] = max(1, min(needs[at], left // (len(waiting) + 1)))
        left -= given[at]
    return given


def _plain(columns: Sequence[str], rows: list[list[str]], numbers: Sequence[str]) -> None:
    lines = [list(columns), *rows]
    widths = [max(len(line[at]) for line in lines) for at in range(len(columns))]
    for line in lines:
        padded = [
            cell.rjust(width) if column in numbers else cell.ljust(width)
            for cell, width, column in zip(line, widths, columns, strict=True)
        ]
        print((" " * GAP).join(padded).rstrip())
