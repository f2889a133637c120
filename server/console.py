"""What the command line prints: tables in a terminal, plain columns when piped, JSON, messages on stderr."""

from __future__ import annotations

import json
import re
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from prune_mcp.server.unicode import clean

if TYPE_CHECKING:
    from collections.abc import Callable

# Control characters of a recorded text could drive the terminal; newline and tab are harmless.
CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def prepare() -> None:
    """Write UTF-8 whatever the locale; recorded text holds every character there is."""
    for stream in (sys.stdout, sys.stderr):
        reconfigure: Callable[..., None] | None = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding="utf-8", errors="replace")


def say(text: str) -> None:
    """One message for the person, on stderr."""
    print(visible(text), file=sys.stderr)


def out(text: str) -> None:
    """Text on stdout: exact when piped, control characters made visible in a terminal."""
    print(visible(text) if sys.stdout.isatty() else clean(text))


def out_json(value: Any) -> None:
    """A JSON value on stdout; text that is not valid Unicode stays exact, as escapes."""
    print(json.dumps(value, indent=2))


def visible(text: str) -> str:
    """Text that cannot drive a terminal: each control character as its picture (␛ for escape)."""
    return CONTROL.sub(_picture, clean(text))


def table(columns: Sequence[str], rows: Sequence[Sequence[Any]], numbers: Sequence[str] = ()) -> None:
    """A table on stdout; the columns named in `numbers` are aligned to the right, long cells shown whole."""
    cells = [[_cell(value) for value in row] for row in rows]
    if sys.stdout.isatty():
        _pretty(columns, cells, numbers)
    else:
        _plain(columns, cells, numbers)


@contextmanager
def progress() -> Iterator[Callable[[float, float, str], None]]:
    """A progress function that draws a bar on stderr while in a terminal, and nothing elsewhere."""
    if not sys.stderr.isatty():
        yield lambda done, total, message: None
        return
    from rich.console import Console
    from rich.progress import BarColumn, Progress, TextColumn, TimeElapsedColumn

    columns = (TextColumn("{task.description}"), BarColumn(), TimeElapsedColumn())
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


def _pretty(columns: Sequence[str], rows: list[list[str]], numbers: Sequence[str]) -> None:
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    shown = Table(box=None, header_style="bold", pad_edge=False)
    for column in columns:
        right = column in numbers
        shown.add_column(column, justify="right" if right else "left", no_wrap=right, overflow="fold")
    for row in rows:
        shown.add_row(*[Text(cell) for cell in row])
    Console().print(shown)


def _plain(columns: Sequence[str], rows: list[list[str]], numbers: Sequence[str]) -> None:
    lines = [list(columns), *rows]
    widths = [max(len(line[at]) for line in lines) for at in range(len(columns))]
    for line in lines:
        padded = [
            cell.rjust(width) if column in numbers else cell.ljust(width)
            for cell, width, column in zip(line, widths, columns, strict=True)
        ]
        print("  ".join(padded).rstrip())
