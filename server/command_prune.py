"""`prune-mcp prune`: archive a session, decide what to prune, tell what that saves."""

from __future__ import annotations

import json
from collections.abc import Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from prune_mcp.server.console import out, progress, table
from prune_mcp.server.option import METAVAR, Source, whole_number
from prune_mcp.server.target import command_engine, holds_messages, loaded, prune_messages, source

if TYPE_CHECKING:
    from prune_mcp.engine.answers import PruneAnswer
    from prune_mcp.engine.engine import Engine


def prune(
    session: Source = None,
    as_json: Annotated[
        bool, typer.Option("--json", help="The whole answer as JSON, the pruned entries under `messages`.")
    ] = False,
    keep_turns: Annotated[
        int | None,
        typer.Option(
            parser=whole_number(0),
            metavar=METAVAR,
            help="Newest turns with tool calls left whole.",
            show_default=False,
        ),
    ] = None,
    note: Annotated[str, typer.Option(help="What matters for the work ahead; kept with this prune.")] = "",
    dry_run: Annotated[bool, typer.Option(help="Only tell what pruning would do.")] = False,
    summarize: Annotated[
        Literal["endpoint"] | None,
        typer.Option(help="Let the model of the settings write summaries.", show_default=False),
    ] = None,
) -> int:
    """Prune a session: its transcript stays as it is, every output is archived, and the plan is recorded."""
    path = source(session)
    with command_engine() as engine:
        answer = _prune(engine, path, keep_turns, note, dry_run, as_json, summarize)
        if as_json:
            _write_json(answer)
        else:
            _write_text(answer)
    return 0


def _prune(
    engine: Engine,
    path: Path,
    keep_turns: int | None,
    note: str,
    dry_run: bool,
    render: bool,
    summarize: Literal["endpoint"] | None,
) -> PruneAnswer:
    with progress() as report:
        options: dict[str, Any] = {"keep_turns": keep_turns, "note": note, "dry_run": dry_run}
        options |= {"summarize": summarize, "progress": report}
        if holds_messages(path):
            return prune_messages(engine, loaded(path), **options)
        return engine.prune_transcript(path, render=render, **options)


def _write_text(answer: PruneAnswer) -> None:
    from prune_mcp.server.hosts import next_steps
    from prune_mcp.server.prune_text import added, decision, text

    outcomes, answer.outcomes = added(answer.outcomes), []
    out(text(answer))
    if outcomes:
        print()
        table(("step", "what was decided"), [(outcome.get("step"), decision(outcome)) for outcome in outcomes])
        print()
    for step in next_steps(answer, "`prune-mcp show REF`"):
        out(step)


def _write_json(answer: PruneAnswer) -> None:
    from prune_mcp.server.hosts import next_steps

    answer.next_steps += next_steps(answer)
    write_answer(answer)


def write_answer(answer: PruneAnswer) -> None:
    """The answer as one JSON object; messages are written one by one, as they are read."""
    from prune_mcp.server.prune_text import structured

    messages, answer.messages = answer.messages, None
    head = json.dumps(structured(answer), indent=2)
    if messages is None:
        print(head)
        return
    print(head.removesuffix("\n}") + ',\n  "messages": ', end="")
    if isinstance(messages, dict):
        print(json.dumps(messages), end="")
    else:
        _write_array(messages)
    print("\n}")


def _write_array(entries: Iterable[Any]) -> None:
    print("[", end="")
    for number, entry in enumerate(entries):
        print("," if number else "", "\n    ", json.dumps(entry), sep="", end="")
    print("\n  ]", end="")
