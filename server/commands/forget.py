"""`prune-mcp forget`: sessions taken out of the history and of the store, for good."""

from __future__ import annotations

import os
import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, NamedTuple

import typer

from prune_mcp.server.commands.console import out, out_json, say, table
from prune_mcp.server.sizes import size
from prune_mcp.server.target import command_engine

if TYPE_CHECKING:
    from prune_mcp.engine.care.forget import Forgot
    from prune_mcp.engine.care.forgetting import Chosen
    from prune_mcp.engine.engine import Engine
    from prune_mcp.storage.home import Home


class _Way(NamedTuple):
    """How to go about it: without asking, without doing it, told as JSON."""

    yes: bool
    dry_run: bool
    as_json: bool


def forget(
    what: Annotated[
        str,
        typer.Argument(
            metavar="SESSION|PROJECT|PATTERN",
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
    """Take sessions out of history and archive, for good.

    None of what only they said stays, nor comes back while their files are there. The agents' own files stay as
    they are; conversations that were imported are deleted.
    """
    from prune_mcp.storage.home import home

    place = home(os.environ)
    with command_engine() as engine:
        act = _remember if again else _forget
        return act(engine, place, what, _Way(yes, dry_run, as_json))


def _forget(engine: Engine, place: Home, what: str, way: _Way) -> int:
    """List what is meant, and forget it once that is agreed to."""
    from prune_mcp.engine.care.forget import cut_short, meant, would_forget
    from prune_mcp.engine.care.forget import forget as forget_all

    unfinished = cut_short(engine.store, place)
    chosen = meant(engine.store, engine.past, what)
    if not chosen and not unfinished:
        say(f"Nothing is known of {what!r}: no session's id begins so, and no project is called so.")
        return 1
    would = would_forget(engine.store, place, chosen)
    if not way.as_json:
        _list(chosen, would, unfinished)
    agreed = not way.dry_run and _agreed(what, chosen, way)
    forgot = forget_all(engine.store, engine.past, place, chosen) if agreed else None
    if way.as_json:
        done = asdict(forgot) if forgot else None
        out_json({"chosen": [asdict(each) for each in chosen], "would": asdict(would), "forgot": done})
    elif forgot:
        out(_told(forgot, "forgotten") if chosen else "What was cut short has come to its end.")
    elif way.dry_run:
        out("Nothing was forgotten (--dry-run).")
    return 0 if agreed or way.dry_run or (way.as_json and not way.yes) else 1


def _list(chosen: list[Chosen], would: Forgot, unfinished: bool) -> None:
    if unfinished:
        say("A forgetting was cut short: the next one, or `prune-mcp gc`, brings it to its end.")
    rows = [(each.session, each.host, each.project, each.passages, each.outputs, each.title) for each in chosen]
    columns = ("session", "agent", "project", "passages", "outputs", "title")
    if rows:
        table(columns, rows, ("passages", "outputs"), cut=("project", "title"))
        out(_told(would, "to be forgotten"))


def _told(forgot: Forgot, what: str) -> str:
    """What was forgotten, or would be."""
    from prune_mcp.engine.recovery.fence import counted

    passages, outputs = counted(forgot.passages, "passage"), counted(forgot.outputs, "archived output")
    imports = f", {counted(forgot.imports, 'imported conversation')}" if forgot.imports else ""
    return (
        f"{counted(forgot.sessions, 'session')} {what}: {passages} with {size(forgot.text_bytes)} of text, "
        f"{outputs} with {size(forgot.bytes)} that no other session holds{imports}."
    )


def _remember(engine: Engine, place: Home, what: str, way: _Way) -> int:
    """Let what was forgotten be indexed again, or only say what that is."""
    from prune_mcp.engine.care.forget import resume
    from prune_mcp.engine.recovery.fence import counted

    if not way.dry_run:
        # What is still to be forgotten would be forgotten again by whoever brings that to its end.
        resume(engine.store, engine.past, place)
    count = engine.past.remember(engine.past.chosen(what), dry_run=way.dry_run)
    if way.as_json:
        out_json({"would_remember" if way.dry_run else "remembered": count})
    elif count and way.dry_run:
        out(f"To be indexed again: {counted(count, 'session')}; nothing was changed (--dry-run).")
    elif count:
        out(f"To be indexed again: {counted(count, 'session')}.")
    else:
        say(
            f"Nothing was forgotten that {what!r} means and whose file is still there. What was imported "
            "comes back when it is imported again."
        )
    return 0 if count else 1


def _agreed(what: str, chosen: list[Chosen], way: _Way) -> bool:
    """Whether it was said beforehand, or the person at the terminal says yes; without a terminal nobody does."""
    from prune_mcp.engine.care.forgetting import begins_several

    if way.yes and begins_several(what, chosen):
        say(
            f"Nothing was forgotten: the ids of several sessions begin with {what!r}. Say more of one, or "
            f"{what + '*'!r} for all of them."
        )
        return False
    if way.yes or way.as_json:
        return way.yes
    if not sys.stdin.isatty():
        say("Nothing was forgotten: say --yes where nobody can be asked.")
        return False
    return typer.confirm("Forget them for good?")
