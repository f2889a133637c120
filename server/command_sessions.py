"""`prune-mcp sessions`: the sessions of this machine."""

from __future__ import annotations

from dataclasses import asdict
from datetime import datetime
from typing import Annotated

import typer

from prune_mcp.server.console import out_json, say, table
from prune_mcp.server.target import command_engine


def sessions(as_json: Annotated[bool, typer.Option("--json", help="The list as JSON.")] = False) -> int:
    """List the sessions that can be pruned or recovered from, the latest written first."""
    with command_engine() as engine:
        rows = engine.sessions()
    if as_json:
        out_json([asdict(row) for row in rows])
        return 0
    if not rows:
        say("No sessions: neither a host's transcripts nor a store were found on this machine.")
        return 1
    numbers = ("bytes", "outputs", "pruned", "tokens saved")
    shown = [
        (row.id, row.host, _time(row.mtime), row.size, row.outputs, row.pruned, row.saved, row.cwd, row.title)
        for row in rows
    ]
    table(("session", "host", "written", *numbers, "folder", "title"), shown, numbers)
    return 0


def _time(seconds: float) -> str:
    return datetime.fromtimestamp(seconds).strftime("%Y-%m-%d %H:%M") if seconds else ""
