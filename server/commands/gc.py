"""`prune-mcp gc`: take away what nothing refers to and, for the asking, what is old. It tells before it does."""

from __future__ import annotations

import os
import sys
from dataclasses import asdict, replace
from typing import TYPE_CHECKING, Annotated, Any

import typer

from prune_mcp.server.commands.console import out, out_json, progress, say, table
from prune_mcp.server.commands.stats import show_space
from prune_mcp.server.sizes import size
from prune_mcp.server.target import command_engine

if TYPE_CHECKING:
    from prune_mcp.engine.care.garbage import Collected, Plan, Request
    from prune_mcp.engine.engine import Engine
    from prune_mcp.storage.home import Home

SHOWN = 20


def before(text: str) -> float:
    """The point in time before which sessions are old; for the `parser` of an option.

    Raises:
        typer.BadParameter: the text means none.
    """
    from prune_mcp.server.since import local_now, point_in_time

    try:
        return point_in_time(text, local_now())
    except ValueError as error:
        raise typer.BadParameter(str(error)) from error


def gc(
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only tell what would go.")] = False,
    older_than: Annotated[
        float | None,
        typer.Option(
            parser=before,
            metavar="AGE",
            help="Also give up the outputs of sessions last pruned so long ago, such as 90d, where their "
            "transcripts still hold them: pruning such a session brings them back.",
            show_default=False,
        ),
    ] = None,
    to_quota: Annotated[
        bool, typer.Option("--to-quota", help="The same of the oldest sessions, until all fits the quota.")
    ] = False,
    yes: Annotated[
        bool, typer.Option("--yes", "-y", help="Do it without asking, also to what no transcript holds any more.")
    ] = False,
    as_json: Annotated[bool, typer.Option("--json", help="What was found and done, as JSON.")] = False,
) -> int:
    """Take away what nothing refers to; on request, what is old.

    That is bodies and files of no record, free pages, old kept searches.
    """
    from prune_mcp.engine.care.forget import resume
    from prune_mcp.engine.care.garbage import Request, collect
    from prune_mcp.storage.home import home

    place = home(os.environ)
    with command_engine() as engine:
        if not dry_run:
            resume(engine.store, engine.past, place)
        request = Request(engine.settings.quota_bytes, older_than, to_quota, lost_too=yes)
        made = _planned(engine, place, request)
        if not as_json:
            _tell(made)
            if not (dry_run or yes) and made.spared and (older_than or made.short) and _agreed(made):
                made = _planned(engine, place, replace(request, lost_too=True))
        done = None if dry_run else collect(engine.store, place, made)
    if as_json:
        out_json(_values(made, done))
    else:
        _told(made, done)
    return 1 if done is not None and (done.notes or made.short) else 0


def _planned(engine: Engine, place: Home, request: Request) -> Plan:
    from prune_mcp.engine.care.garbage import plan

    with progress() as report:
        return plan(engine.store, place, request, progress=report)


def _tell(made: Plan) -> None:
    """What is kept now, and what would go."""
    show_space(made.space)
    found = made.garbage
    rows = [
        ("bodies that no record names", found.bodies, found.body_bytes),
        ("files that no body is in", found.files, found.file_bytes),
        ("files never finished", found.unfinished, found.unfinished_bytes),
        ("free pages of the database", "", found.free_bytes),
    ]
    kinds = dict.fromkeys(each.what for each in made.litter)
    for what in kinds:
        sizes = [each.size for each in made.litter if each.what == what]
        rows.append((what, len(sizes), sum(sizes)))
    wanted = [(what, count, size(taken)) for what, count, taken in rows if taken or count]
    if wanted:
        table(("garbage", "count", "size"), wanted, ("count", "size"))
    else:
        out("There is no garbage.")
    _tell_sessions(made)


def _tell_sessions(made: Plan) -> None:
    if not made.sessions:
        return
    rows = [
        (one.session, one.updated[:10], size(one.held_bytes), size(one.lost_bytes), one.title)
        for one in made.sessions[:SHOWN]
    ]
    sizes = ("in transcripts too", "nowhere else")
    table(("old session", "last pruned", *sizes, "title"), rows, sizes, cut=("title",))
    if len(made.sessions) > SHOWN:
        out(f"and {len(made.sessions) - SHOWN:,} more sessions")


def _agreed(made: Plan) -> bool:
    """Whether the person at the terminal gives up what is nowhere else; without a terminal nobody does."""
    if not sys.stdin.isatty():
        say(f"{size(made.spared)} are nowhere else and stay: say --yes where nobody can be asked.")
        return False
    return typer.confirm(f"{size(made.spared)} are in no transcript any more. Give them up for good too?")


def _told(made: Plan, done: Collected | None) -> None:
    """What was done, and what is kept now."""
    if done is None:
        out(f"{size(made.freed)} would be freed; nothing was taken away (--dry-run).")
        if made.spared:
            out(f"{size(made.spared)} more are nowhere else: with --yes they would go as well.")
    else:
        before, after = made.space.total, done.space.total
        out(f"{size(max(0, before - after))} freed: {size(before)} were kept on disk, now it is {size(after)}.")
        for note in done.notes:
            say(note)
    if made.short:
        say(f"The quota stays exceeded by {size(made.short)}: what is left is younger, or nowhere else.")


def _values(made: Plan, done: Collected | None) -> dict[str, Any]:
    from prune_mcp.engine.stats import space_values

    sessions = [
        {
            **{name: getattr(one, name) for name in ("session", "host", "title", "updated", "path")},
            "held_bytes": one.held_bytes,
            "lost_bytes": one.lost_bytes,
        }
        for one in made.sessions
    ]
    values: dict[str, Any] = {
        "dry_run": done is None,
        "before": space_values(made.space),
        "garbage": {**asdict(made.garbage), "bytes": made.garbage.bytes},
        "litter": [{"what": each.what, "path": str(each.path), "size": each.size} for each in made.litter],
        "sessions": sessions,
        "lost_too": made.request.lost_too,
        "freed": made.freed,
        "short": made.short,
    }
    if done is not None:
        values |= {"after": space_values(done.space), "released": done.released, "notes": done.notes}
    return values
