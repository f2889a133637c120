"""`prune-mcp prune`: archive a session, decide what to prune, tell what that saves."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated, Any, Literal

import typer

from prune_mcp.server.commands.console import out, out_json, progress, say, table
from prune_mcp.server.commands.option import METAVAR, Source, whole_number
from prune_mcp.server.target import command_engine, holds_messages, loaded, prune_messages, source

if TYPE_CHECKING:
    from prune_mcp.engine.answers import PruneAnswer
    from prune_mcp.engine.due.due import Due
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
    note: Annotated[
        str, typer.Option(metavar="TEXT", help="What matters for the work ahead; kept with this prune.")
    ] = "",
    dry_run: Annotated[bool, typer.Option("--dry-run", help="Only tell what pruning would do.")] = False,
    summarize: Annotated[
        Literal["endpoint"] | None,
        typer.Option(help="Let the model of the settings write summaries.", show_default=False),
    ] = None,
    when_due: Annotated[
        bool, typer.Option("--when-due", help="Prune only if a trigger of the settings is met; else say why not.")
    ] = False,
    remind: Annotated[
        bool,
        typer.Option(
            "--reminder", help="Print what to tell a model of results it could prune; prune only with --when-due."
        ),
    ] = False,
    hook: Annotated[
        bool,
        typer.Option("--hook", help="As a hook of a host, which tells the session on stdin; with --when-due."),
    ] = False,
) -> int:
    """Prune a session; its transcript stays as it is.

    Every output is archived, and the plan is recorded.
    """

    def pruned(engine: Engine, path: Path, *, render: bool = False) -> PruneAnswer:
        return _prune(engine, path, keep_turns, note, dry_run, render, summarize)

    if hook:
        return _for_hook(pruned, keep_turns, remind, given=session is not None or as_json or dry_run)
    path = source(session)
    with command_engine() as engine:
        told = _asked(engine, path, keep_turns, looking=dry_run or not when_due) if when_due or remind else None
        if told and not (when_due and told.trigger):
            _write_due(told, when_due, remind, as_json)
            return 0
        answer = pruned(engine, path, render=as_json)
        if as_json:
            _write_json(answer, told)
        else:
            _write_text(answer, told)
    return 0


def _asked(engine: Engine, path: Path, keep_turns: int | None, looking: bool) -> Due:
    from prune_mcp.server.commands.prune_due import ask

    return ask(engine, path, keep_turns, looking=looking)


def _for_hook(
    prune: Callable[[Engine, Path], PruneAnswer], keep_turns: int | None, remind: bool, given: bool
) -> int:
    """Prune the session that a hook is about if that is due; stdout holds only what the host may read."""
    from prune_mcp.engine.answers import EngineError
    from prune_mcp.server.commands.hook_input import hook_input
    from prune_mcp.server.commands.prune_due import ask, sentence

    if given:
        # Wrong usage ends with exit code 2, by which hooks stop their host.
        raise EngineError(
            "--hook takes the session from stdin and answers the host; leave SESSION, --json, --dry-run out."
        )
    hook = hook_input()
    if not hook.path.exists():
        say(f"not due: there is no {hook.path} yet")
        return 0
    with command_engine() as engine:
        told = ask(engine, hook.path, keep_turns, hook)
        say(sentence(told))
        if told.trigger:
            say(prune(engine, hook.path).summary)
        elif remind and (answer := hook.telling(told.reminder)):
            print(json.dumps(answer))
    return 0


def _write_due(told: Due, when_due: bool, remind: bool, as_json: bool) -> None:
    """What was asked of a session that is not pruned now."""
    from prune_mcp.server.commands.prune_due import sentence, values

    if as_json:
        out_json({"trigger": values(told)})
        return
    if when_due:
        (say if remind else out)(sentence(told))
    if remind and told.reminder:
        out(told.reminder)


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


def _write_text(answer: PruneAnswer, told: Due | None) -> None:
    from prune_mcp.server.commands.prune_due import sentence
    from prune_mcp.server.hosts import next_steps
    from prune_mcp.server.tools.prune_text import added, decision, text

    if told:
        out(sentence(told))
    outcomes, answer.outcomes = added(answer.outcomes), []
    out(text(answer))
    if outcomes:
        print()
        table(("step", "what was decided"), [(outcome.get("step"), decision(outcome)) for outcome in outcomes])
        print()
    for step in next_steps(answer, "`prune-mcp show REF`"):
        out(step)


def _write_json(answer: PruneAnswer, told: Due | None) -> None:
    from prune_mcp.server.commands.prune_due import values
    from prune_mcp.server.hosts import next_steps

    answer.next_steps += next_steps(answer)
    write_answer(answer, {"trigger": values(told)} if told else {})


def write_answer(answer: PruneAnswer, first: Mapping[str, Any] = MappingProxyType({})) -> None:
    """The answer as one JSON object, with what is to stand `first`; messages are written one by one, as they are
    read."""
    from prune_mcp.server.tools.prune_text import structured

    messages, answer.messages = answer.messages, None
    head = json.dumps({**first, **structured(answer)}, indent=2)
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
