"""`prune-mcp import`: conversations from exports, found like any session from then on."""

from __future__ import annotations

import os
from dataclasses import asdict
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from prune_mcp.server.commands.console import out, out_json, progress, say
from prune_mcp.server.target import command_engine

if TYPE_CHECKING:
    from prune_mcp.engine.past import ImportReport

FAULTS_SHOWN = 10


def bring(
    path: Annotated[
        Path,
        typer.Argument(
            metavar="PATH",
            help="An export of claude.ai or ChatGPT (zip, json, or the unpacked folder), an opencode export, "
            "or a trajectory of mini-swe-agent or SWE-agent.",
            show_default=False,
        ),
    ],
    as_json: Annotated[bool, typer.Option("--json", help="What was kept and what was not, as JSON.")] = False,
) -> int:
    """Keep a copy of each conversation in an export.

    The exit code is 1 where one could not be kept. Importing a newer export later adds what is new and refreshes
    what has changed.
    """
    from prune_mcp.engine.care.forget import resume
    from prune_mcp.storage.home import home

    with command_engine() as engine, progress() as report:
        # What is still to be forgotten must not be taken for what is imported now.
        resume(engine.store, engine.past, home(os.environ))
        done = engine.past.bring(path.expanduser(), report)
    if as_json:
        out_json(asdict(done))
    else:
        _write(done)
    return 1 if done.bad else 0


def _write(done: ImportReport) -> None:
    from prune_mcp.engine.recovery.fence import counted

    out(f"{counted(done.added, 'conversation')} added, {done.updated:,} updated, {done.unchanged:,} unchanged")
    if done.remembered:
        say(f"Of these, {done.remembered:,} had been forgotten; imported again, they are found again.")
    for name, faults in (("not kept", done.bad), ("kept in part", done.flawed)):
        for fault in faults[:FAULTS_SHOWN]:
            say(f"{name}: {fault.where}: {fault.why}")
        if len(faults) > FAULTS_SHOWN:
            say(f"{name}: {len(faults) - FAULTS_SHOWN:,} more, which --json names")
    if done.passed_over:
        say(f"passed over: {counted(len(done.passed_over), 'file')} without a conversation, which --json names")
