"""`prune-mcp record`: what the person wrote before a compaction, word for word."""

from __future__ import annotations

from dataclasses import asdict
from typing import TYPE_CHECKING, Annotated, Any

import typer

from prune_mcp.server.commands.console import out, out_json
from prune_mcp.server.commands.option import METAVAR, whole_number
from prune_mcp.server.target import source

if TYPE_CHECKING:
    from prune_mcp.engine.record import SessionRecord


def record(
    session: Annotated[
        str | None,
        typer.Argument(
            metavar="SESSION",
            help="A session's id, the beginning of one, or a transcript. Default: the newest of this folder.",
            show_default=False,
        ),
    ] = None,
    at: Annotated[
        int | None,
        typer.Option(
            parser=whole_number(1),
            metavar=METAVAR,
            help="Before which compaction, counted from 1. Default: the latest; everything where there was none.",
            show_default=False,
        ),
    ] = None,
    as_json: Annotated[bool, typer.Option("--json", help="The record and its inputs as JSON.")] = False,
) -> int:
    """Show what the person wrote before a compaction, word for word.

    At most 20,000 characters.
    """
    from prune_mcp.engine.record import session_record

    told = session_record(source(session), at)
    if as_json:
        out_json(record_json(told))
    else:
        out(told.record.text)
    return 0


def record_json(told: SessionRecord) -> dict[str, Any]:
    """The record as programs take it: `inputs` are those in it, `omitted` the refs of the others."""
    return {
        "session": told.session,
        "host": told.host,
        "compaction": told.number,
        "compactions": told.compactions,
        "entry": told.entry,
        "text": told.record.text,
        "inputs": [asdict(each.input) | {"missing": each.missing} for each in told.record.shown],
        "omitted": [each.ref for each in told.record.omitted],
    }
