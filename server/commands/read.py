"""`prune-mcp read`: one entry of a past session, in pages or whole, alone or with its neighbours."""

from __future__ import annotations

from typing import Annotated

import typer

from prune_mcp.server.commands.console import out, out_json, piped, say
from prune_mcp.server.commands.option import METAVAR, whole_number
from prune_mcp.server.target import command_engine

PAGE = 8000
EVERYTHING = 1 << 40


def read(
    entry: Annotated[
        str,
        typer.Argument(metavar="ENTRY@SESSION", help="The entry as a search shows it.", show_default=False),
    ],
    offset: Annotated[
        int, typer.Option(parser=whole_number(0), metavar=METAVAR, help="First character to show.")
    ] = 0,
    limit: Annotated[
        int | None,
        typer.Option(
            parser=whole_number(1),
            metavar=METAVAR,
            help=f"Characters in all. Default: {PAGE} in a terminal, everything when piped.",
            show_default=False,
        ),
    ] = None,
    around: Annotated[
        int, typer.Option(parser=whole_number(0), metavar=METAVAR, help="Entries before and after it.")
    ] = 0,
    as_json: Annotated[bool, typer.Option("--json", help="The entries with their texts as JSON.")] = False,
) -> int:
    """Read an entry of a past session; secrets in it are masked."""
    from prune_mcp.server.tools.reading_text import reading_json, reading_text

    characters = limit or (EVERYTHING if piped() or as_json else PAGE)
    with command_engine() as engine:
        reading = engine.past.read(entry, offset=offset, limit=characters, around=around)
    if as_json:
        out_json(reading_json(reading))
        return 0
    notes, reading.notes = reading.notes, []
    out(reading_text(reading))
    for note in notes:
        say(note)
    return 0
