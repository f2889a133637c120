"""`prune-mcp tree`: what was pruned in a session, with sizes and savings."""

from __future__ import annotations

import os
import sys
from dataclasses import asdict
from importlib.util import find_spec
from typing import TYPE_CHECKING, Annotated

import typer

from prune_mcp.server.commands.console import out, out_json, say, table, width
from prune_mcp.server.target import command_engine, newest_here, session_id

if TYPE_CHECKING:
    from prune_mcp.engine.answers import TreeAnswer
    from prune_mcp.engine.engine import Engine

# Columns of a terminal from which all numbers have room.
ROOMY = 80


def tree(
    session: Annotated[
        str | None,
        typer.Argument(
            metavar="SESSION",
            help="A session's id, the beginning of one, or a transcript. Default: the newest of this folder.",
            show_default=False,
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="The tree as JSON.")] = False,
    browsing: Annotated[
        bool, typer.Option("--browse", help="Browse the tree on the whole screen; takes `prune-mcp[browse]`.")
    ] = False,
) -> int:
    """Show what was pruned in a session, by prune and block."""
    if browsing:
        if as_json:
            raise typer.BadParameter("--browse and --json go one at a time")
        _check_browsing()
    with command_engine() as engine:
        answer = _whole(engine, session_id(session) if session else _here())
        if browsing and answer.rows:
            return _browse(engine, answer)
    if as_json:
        out_json(asdict(answer))
    else:
        _write(answer)
    return 0


def _check_browsing() -> None:
    """See whether a browser can be shown.

    Raises:
        EngineError: the terminal or the extra is missing.
    """
    from prune_mcp.engine.answers import EngineError
    from prune_mcp.server.terminal.looks import DUMB

    # The browser draws on stderr and reads keys from stdin.
    if not all(stream.isatty() for stream in (sys.stdin, sys.stdout, sys.stderr)):
        raise EngineError("--browse takes a terminal; without one leave it out, or ask for --json.")
    if os.environ.get("TERM", "").lower() in DUMB:
        raise EngineError("--browse draws on the whole screen, which this TERM says cannot be; leave it out.")
    if find_spec("textual") is None:
        raise EngineError("--browse takes `pip install 'prune-mcp[browse]'`.")


def _browse(engine: Engine, answer: TreeAnswer) -> int:
    """Show the browser until it is left; the exit code."""
    from prune_mcp.server.terminal.browse import browser

    shown = browser(engine, answer)
    shown.run()
    return shown.return_code or 0


def _here() -> str | None:
    """The newest session of this folder; None when it has none, for the only one that was ever pruned."""
    from prune_mcp.sessions.model import SessionError

    try:
        return newest_here().id
    except SessionError:
        return None


def _whole(engine: Engine, session: str | None) -> TreeAnswer:
    """The tree with all its pages in one."""
    answer = page = engine.tree(session)
    while page.cursor:
        page = engine.tree(answer.session, cursor=page.cursor)
        answer.rows += page.rows
    answer.cursor, answer.notes = None, page.notes
    return answer


def _write(answer: TreeAnswer) -> None:
    title = f' "{answer.title}"' if answer.title else ""
    out(f"session {answer.session}{title}")
    out(f"{answer.outputs:,} outputs, {answer.pruned:,} pruned, {answer.saved:,} tokens saved")
    numbers = ("chars", "lines", "saved") if width() >= ROOMY else ("chars", "saved")
    rows = [
        ("  " * row.depth + row.ref, row.status, *(getattr(row, number) for number in numbers), row.label)
        for row in answer.rows
    ]
    if rows:
        table(("ref", "status", *numbers, "what"), rows, numbers, cut=("what",))
    for note in answer.notes:
        say(note)
