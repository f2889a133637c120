"""`prune-mcp check`: read all that is kept, tell what is damaged and what can be got back, and get it back."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from prune_mcp.server.commands.console import out, out_json, progress, say, table
from prune_mcp.server.target import command_engine
from prune_mcp.storage.errors import MOVE

if TYPE_CHECKING:
    from prune_mcp.engine.care.check import Checked, Damage

SHOWN, REFS = 50, 6


def check(
    repair: Annotated[
        bool, typer.Option("--repair", help="Get back what transcripts or the index's sources still hold.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="What was found, as JSON.")] = False,
) -> int:
    """Verify every archived body, every record and the history.

    The exit code is 1 for damage.
    """
    from prune_mcp.engine.care.check import check as checked_by

    with command_engine() as engine, progress() as report:
        checked = checked_by(engine.store, engine.past, repair=repair, progress=report)
    if as_json:
        out_json({**asdict(checked), "sound": checked.sound})
    else:
        _tell(checked, repair)
    return 0 if checked.sound else 1


def _tell(checked: Checked, repair: bool) -> None:
    out(f"{checked.bodies:,} archived bodies read, {len(checked.damages):,} faults.")
    rows = [(_whose(damage), damage.what, _chance(damage, repair)) for damage in checked.damages[:SHOWN]]
    if rows:
        table(("whose", "what is wrong", "can be got back"), rows, cut=("what is wrong",))
    if len(checked.damages) > SHOWN:
        out(f"and {len(checked.damages) - SHOWN:,} more; --json names them all")
    for fault in checked.history[:SHOWN]:
        out(f"history: {fault.what} {_hope(fault.lost)}")
    if len(checked.history) > SHOWN:
        out(f"history: {len(checked.history) - SHOWN:,} more faults; --json names them all")
    if checked.rebuilt:
        out("The history was indexed anew.")
    for note in checked.notes:
        say(note)
    if checked.sound:
        out("All that is kept is whole." if not checked.damages else "All that was damaged is whole again.")


def _whose(damage: Damage) -> str:
    refs = ", ".join(damage.refs[:REFS])
    return refs + (f" and {len(damage.refs) - REFS} more" if len(damage.refs) > REFS else "")


def _chance(damage: Damage, repair: bool) -> str:
    if damage.repaired:
        return f"it was, from {damage.transcript}"
    if damage.transcript:
        return f"from {damage.transcript}" + ("" if repair else ", with --repair")
    if damage.sha:
        return "no transcript holds it"
    return "no" if MOVE in damage.what else "no: move the store away to begin anew, or put a copy back"


def _hope(lost: bool) -> str:
    return "It was the only copy." if lost else "`prune-mcp check --repair` builds it anew."
