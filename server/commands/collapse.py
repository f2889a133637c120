"""`prune-mcp collapse`: finished exchanges of a session, or of messages in a file, as one summary."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from prune_mcp.server.commands.console import out, progress
from prune_mcp.server.commands.option import METAVAR, Source, whole_number
from prune_mcp.server.target import command_engine, holds_messages, loaded, plain_advice, source

if TYPE_CHECKING:
    from prune_mcp.engine.collapse.collapse import CollapseAnswer
    from prune_mcp.engine.engine import Engine

RECOVER = "`prune-mcp show REF`"


def collapse(
    session: Source = None,
    turns: Annotated[
        int,
        typer.Option(
            parser=whole_number(1), metavar=METAVAR, help="How many finished exchanges, the newest first."
        ),
    ] = 1,
    as_json: Annotated[
        bool, typer.Option("--json", help="The whole answer as JSON, the collapsed entries under `messages`.")
    ] = False,
) -> int:
    """Put one summary in the place of the newest finished exchanges.

    It is made without a model; the transcript stays as it is.
    """
    path = source(session)
    with command_engine() as engine:
        answer = _collapse(engine, path, turns, as_json)
        if as_json:
            _write_json(answer)
        else:
            _write_text(answer)
    return 0


def _collapse(engine: Engine, path: Path, turns: int, render: bool) -> CollapseAnswer:
    if holds_messages(path):
        with plain_advice():
            return engine.collapse_messages(loaded(path), turns=turns)
    with progress() as report:
        return engine.collapse_transcript(path, turns=turns, render=render, progress=report)


def _write_text(answer: CollapseAnswer) -> None:
    from prune_mcp.server.tools.collapse_text import next_steps, text

    answer.next_steps += next_steps(answer, RECOVER)
    out(text(answer))


def _write_json(answer: CollapseAnswer) -> None:
    from prune_mcp.server.commands.prune import write_answer
    from prune_mcp.server.tools.collapse_text import next_steps

    answer.next_steps += next_steps(answer, RECOVER)
    write_answer(answer)
