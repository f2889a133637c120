"""`prune-mcp forget`: sessions taken out of the history, for good."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated

import typer

from prune_mcp.server.console import out, out_json, say, table
from prune_mcp.server.target import command_engine

if TYPE_CHECKING:
    from prune_mcp.engine.forgetting import Chosen


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
    as_json: Annotated[bool, typer.Option("--json", help="What was forgotten, as JSON.")] = False,
) -> int:
    """Forget sessions: none of their text stays in the history, nor comes back while their files are there.

    The agents' own files stay as they are.
    """
    with command_engine() as engine:
        chosen = engine.past.chosen(what)
        if again:
            count = engine.past.remember(chosen)
            out(f"{count:,} sessions will be indexed again.")
            return 0
        if not chosen:
            say(f"Nothing is known of {what!r}: no session's id begins so, and no project is called so.")
            return 1
        if not as_json:
            _list(chosen)
        if dry_run or not (yes or as_json or _agreed()):
            return 0
        forgot = engine.past.forget(chosen)
    if as_json:
        out_json(asdict(forgot))
    else:
        out(f"{forgot.sources:,} sessions with {forgot.passages:,} passages are forgotten.")
    return 0


def _list(chosen: list[Chosen]) -> None:
    rows = [(each.session, each.host, each.project, each.passages, each.title) for each in chosen]
    table(("session", "agent", "project", "passages", "title"), rows, ("passages",), cut=("project", "title"))


def _agreed() -> bool:
    """Whether the person at the terminal says yes; without a terminal nobody does."""
    if not sys.stdin.isatty():
        say("Nothing was forgotten: say --yes where nobody can be asked.")
        return False
    return typer.confirm("Forget them for good?")
