"""`prune-mcp forget`: sessions taken out of the history and of the store, for good."""

from __future__ import annotations

import os
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from prune_mcp.server.commands.console import out, out_json, say, table
from prune_mcp.server.sizes import size
from prune_mcp.server.target import command_engine

if TYPE_CHECKING:
    from prune_mcp.engine.care.forget import Forgot
    from prune_mcp.engine.care.forgetting import Chosen


def forget(
    what: Annotated[
        str,
        typer.Argument(
            help="A session's id or the beginning of one, a project's folder, or a pattern with * for either.",
            show_default=False,
        ),
    ],
    yes: Annotated[bool, typer.Option("--yes", "-y", help="Do it without asking.")] = False,
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only list what would be forgotten.")] = False,
    again: Annotated[bool, typer.Option("--undo", help="Let what was forgotten be indexed again.")] = False,
    as_json: Annotated[
        bool,
        typer.Option("--json", help="What was meant and forgotten, as JSON; without --yes only what was meant."),
    ] = False,
) -> int:
    """Forget sessions: none of what only they said stays in the history or the archive, nor comes back while their
    files are there.

    The agents' own files stay as they are; conversations that were imported are deleted.
    """
    from prune_mcp.engine.care.forget import forget as forget_all
    from prune_mcp.engine.care.forget import meant
    from prune_mcp.engine.recovery.fence import counted
    from prune_mcp.storage.home import home

    with command_engine() as engine:
        if again:
            count = engine.past.remember(engine.past.chosen(what))
            if as_json:
                out_json({"remembered": count})
            elif count:
                out(f"To be indexed again: {counted(count, 'session')}.")
            else:
                say(
                    f"Nothing was forgotten that {what!r} means and whose file is still there. What was imported "
                    "comes back when it is imported again."
                )
            return 0 if count else 1
        cut_short = engine.store.care.cut_short
        chosen = meant(engine.store, engine.past, what)
        if not chosen and not cut_short:
            say(f"Nothing is known of {what!r}: no session's id begins so, and no project is called so.")
            return 1
        if not as_json:
            _list(chosen, cut_short)
        agreed = not dry_run and (yes or (not as_json and _agreed()))
        forgot = forget_all(engine.store, engine.past, home(os.environ), chosen) if agreed else None
    if as_json:
        done = asdict(forgot) if forgot else None
        out_json({"chosen": [asdict(each) for each in chosen], "forgot": done})
    elif forgot:
        _tell(forgot)
    return 0


def _list(chosen: list[Chosen], cut_short: bool) -> None:
    if cut_short:
        say("A forgetting was cut short: this brings it to its end.")
    rows = [(each.session, each.host, each.project, each.passages, each.outputs, each.title) for each in chosen]
    columns = ("session", "agent", "project", "passages", "outputs", "title")
    if rows:
        table(columns, rows, ("passages", "outputs"), cut=("project", "title"))


def _tell(forgot: Forgot) -> None:
    from prune_mcp.engine.recovery.fence import counted

    imports = f", {counted(forgot.imports, 'imported conversation')} deleted" if forgot.imports else ""
    out(
        f"{counted(forgot.sessions, 'session')} forgotten: {counted(forgot.passages, 'passage')}, "
        f"{counted(forgot.outputs, 'archived output')} with {size(forgot.bytes)} that no other session "
        f"holds{imports}."
    )


def _agreed() -> bool:
    """Whether the person at the terminal says yes; without a terminal nobody does."""
    if not sys.stdin.isatty():
        say("Nothing was forgotten: say --yes where nobody can be asked.")
        return False
    return typer.confirm("Forget them for good?")
