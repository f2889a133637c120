"""`prune-mcp show`: the originals behind refs and tool-call ids."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from prune_mcp.server.commands.console import out, out_json, say
from prune_mcp.server.commands.option import METAVAR, whole_number
from prune_mcp.server.target import command_engine, newest_here, session_id

if TYPE_CHECKING:
    from prune_mcp.engine.answers import RecoverAnswer, Recovered
    from prune_mcp.engine.engine import Engine


def show(
    refs: Annotated[
        list[str], typer.Argument(metavar="REFS", help="Refs such as t5, b2 or t5@SESSION, or tool-call ids.")
    ],
    session: Annotated[
        str | None,
        typer.Option(
            metavar="SESSION",
            help="Whose refs these are: an id, the beginning of one, or a transcript. Default: the session that "
            "has them, or the newest of this folder where several have.",
            show_default=False,
        ),
    ] = None,
    lines: Annotated[
        str | None,
        typer.Option(metavar="A:B", help="Only these lines, from 1; -20: is the tail.", show_default=False),
    ] = None,
    grep: Annotated[
        str | None, typer.Option(metavar="PATTERN", help="Only lines that match.", show_default=False)
    ] = None,
    context: Annotated[
        int, typer.Option(parser=whole_number(0), metavar=METAVAR, help="Lines around each match.")
    ] = 0,
    offset: Annotated[
        int | None,
        typer.Option(
            parser=whole_number(0), metavar=METAVAR, help="First character of a page, from 0.", show_default=False
        ),
    ] = None,
    limit: Annotated[
        int | None,
        typer.Option(
            parser=whole_number(1),
            metavar=METAVAR,
            help="Characters of that page, or of what --lines or --grep find.",
            show_default=False,
        ),
    ] = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="A list with the exact `text` of each item, and what it is.")
    ] = False,
) -> int:
    """Bring back originals, whole or in part.

    The exit code is 1 where one is unknown or damaged, or no line matches.
    """
    from prune_mcp.engine.recovery.fence import shape, unknown_lines

    part = {"lines": lines, "pattern": grep, "context": context, "offset": offset, "limit": limit}
    with command_engine() as engine:
        answer = _recover(engine, refs, session and session_id(session), part)
    complete = bool(answer.items) and not answer.unknown and all(map(_intact, answer.items))
    for line in [*answer.notes, *unknown_lines(answer.unknown)]:
        say(line)
    if as_json:
        out_json([asdict(item) for item in answer.items])
    elif answer.items:
        answer.unknown, answer.notes = {}, []
        out(shape(answer))
    return 0 if complete else 1


def _intact(item: Recovered) -> bool:
    return not item.status.startswith(("damaged", "given-up"))


def _recover(engine: Engine, refs: list[str], session: str | None, part: dict[str, Any]) -> RecoverAnswer:
    """Everything asked for; bare refs that several sessions have are those of this folder's newest session."""
    from prune_mcp.engine.answers import AmbiguousRef
    from prune_mcp.sessions.model import SessionError

    try:
        return engine.recover(refs, session=session, budget=sys.maxsize, charged=False, **part)
    except AmbiguousRef as ambiguous:
        try:
            here = newest_here().id
        except SessionError:
            raise ambiguous from None
        return engine.recover(refs, session=here, budget=sys.maxsize, charged=False, **part)
