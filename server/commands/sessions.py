"""`prune-mcp sessions`: the sessions of this machine."""

from __future__ import annotations

import time
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from prune_mcp.server.commands.console import out_json, say, short_ids, table, width
from prune_mcp.server.sizes import age, size
from prune_mcp.server.target import command_engine

if TYPE_CHECKING:
    from prune_mcp.engine.listing import SessionRow

# Columns of a terminal from which folders have room.
WIDE = 120
NUMBERS = ("age", "size", "outputs", "saved")


def sessions(as_json: Annotated[bool, typer.Option("--json", help="The list as JSON.")] = False) -> int:
    """List the sessions of this machine, the latest written first."""
    with command_engine() as engine:
        from prune_mcp.engine.masked import masked

        notes: list[str] = []
        rows = [replace(row, title=masked(row.title)) for row in engine.sessions(notes)]
    for note in notes:
        say(note)
    if as_json:
        out_json([asdict(row) for row in rows])
        return 0
    if not rows:
        say("No sessions: neither a host's transcripts nor a store were found on this machine.")
        return 0
    shown = _columns(rows)
    names = [name for name in shown[0] if width() >= WIDE or name not in ("host", "folder")]
    table(names, [[cells[name] for name in names] for cells in shown], NUMBERS, cut=("folder", "title"))
    return 0


def _columns(rows: list[SessionRow]) -> list[dict[str, Any]]:
    """The cells of each session by column; ids are cut where a person reads them, whole where a script does."""
    names = short_ids([row.id for row in rows])
    now = time.time()
    return [
        {
            "session": names[row.id],
            "host": row.host,
            "age": age(now - row.mtime) if row.mtime else "-",
            "size": size(row.size) if row.path else "-",
            "outputs": row.outputs if row.archived else "-",
            "saved": row.saved if row.archived else "-",
            "folder": row.cwd,
            "title": row.title,
        }
        for row in rows
    ]
