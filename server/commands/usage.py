"""`prune-mcp usage`: what fills a session's context; a map of it in a terminal, tables when piped."""

from __future__ import annotations

import os
import shutil
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from prune_mcp.server.commands.console import out, out_json, piped, progress, table
from prune_mcp.server.commands.option import Source
from prune_mcp.server.target import command_engine, holds_messages, loaded, plain_advice, source

if TYPE_CHECKING:
    from prune_mcp.engine.engine import Engine
    from prune_mcp.engine.usage.answer import UsageAnswer

# Columns below which names and figures would be cut to nothing.
NARROWEST = 44


def usage(
    session: Source = None,
    as_json: Annotated[bool, typer.Option("--json", help="The whole answer as JSON.")] = False,
) -> int:
    """Show what fills a session's context, and what of it could go."""
    path = source(session)
    with command_engine() as engine:
        answer = _usage(engine, path)
    if as_json:
        from prune_mcp.server.tools.usage_text import structured

        out_json(structured(answer))
    elif piped():
        _write_plain(answer)
    else:
        _draw(answer)
    return 0


def _usage(engine: Engine, path: Path) -> UsageAnswer:
    if holds_messages(path):
        with plain_advice():
            return engine.usage_messages(loaded(path))
    with progress() as report:
        return engine.usage_transcript(path, progress=report)


def _write_plain(answer: UsageAnswer) -> None:
    """Everything, in tables that programs can read."""
    from prune_mcp.server.tools.usage_text import endnotes, head, share

    for line in head(answer):
        out(line)
    print()
    rows = []
    for row in answer.rows:
        rows.append((row.label, "", row.tokens, share(row.tokens, answer.total), row.count, row.source))
        parts = [(row.label, part.name, part.tokens, part.count) for part in row.parts]
        if row.more:
            parts.append((row.label, f"{row.more:,} more", row.more_tokens, 0))
        rows += [(label, name, n, share(n, answer.total), count, row.source) for label, name, n, count in parts]
    numbers = ("tokens", "share", "pieces")
    table(("category", "part", "tokens", "share", "pieces", "counted"), rows, numbers)
    print()
    items = [(item.ref, item.category, item.tool, item.key, item.tokens) for item in answer.items]
    table(("costliest", "category", "tool", "what", "tokens"), items, ("tokens",))
    print()
    for line in endnotes(answer, "pruning"):
        out(line)


def _draw(answer: UsageAnswer) -> None:
    from rich.console import Console

    from prune_mcp.server.terminal.looks import Window, letters_only
    from prune_mcp.server.terminal.map import screen

    size = shutil.get_terminal_size()
    columns = max(size.columns, NARROWEST)
    window = Window(columns, size.lines, letters=letters_only(os.environ))
    # Both are named, since rich takes a terminal without colors for one of 80 columns.
    console = Console(width=columns, height=size.lines, highlight=False)
    for line in screen(answer, window):
        console.print(line, soft_wrap=True)
