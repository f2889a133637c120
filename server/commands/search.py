"""`prune-mcp search`: what was said and done in any session."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from prune_mcp.server.commands.console import bold, out_json, out_marked, say, shows_bold
from prune_mcp.server.commands.option import METAVAR, whole_number
from prune_mcp.server.target import command_engine, session_id

if TYPE_CHECKING:
    from prune_mcp.engine.past import Found


def search(
    query: Annotated[
        list[str],
        typer.Argument(
            metavar="WORDS", help='Words (any may match), "a phrase", prefix*, -without.', show_default=False
        ),
    ],
    session: Annotated[
        str,
        typer.Option(
            metavar="SESSION",
            help="Only this session, newest first: an id, the beginning of one, or a transcript.",
        ),
    ] = "",
    project: Annotated[
        str, typer.Option(metavar="PROJECT", help="Only sessions of this folder: a path, or its name.")
    ] = "",
    role: Annotated[
        str,
        typer.Option(
            metavar="ROLE", help="user, assistant, thinking, call, result, tool, summary, title or machine."
        ),
    ] = "",
    tool: Annotated[str, typer.Option(metavar="TOOL", help="Only calls and results of this tool.")] = "",
    agent: Annotated[
        str, typer.Option(metavar="AGENT", help="Only sessions of this agent, such as claude-code or codex.")
    ] = "",
    since: Annotated[str, typer.Option(metavar="TIME", help="From then on: 2026-03-01, 3d, 12h.")] = "",
    until: Annotated[str, typer.Option(metavar="TIME", help="Up to then, that day included.")] = "",
    limit: Annotated[int, typer.Option(parser=whole_number(1), metavar=METAVAR, help="Hits, at most 50.")] = 10,
    cursor: Annotated[
        str, typer.Option(metavar="CURSOR", help="For the hits after those of an earlier answer.")
    ] = "",
    as_json: Annotated[bool, typer.Option("--json", help="Hits, cursor and notes as JSON.")] = False,
) -> int:
    """Search all past sessions, best first."""
    from prune_mcp.engine.past import Question
    from prune_mcp.server.since import filter_point
    from prune_mcp.server.tools.history_text import found_json

    if wrong := next((word for word in query if word.startswith("--")), ""):
        raise typer.BadParameter(
            f"there is no option {wrong}; a word that begins so is found in quotes: '\"{wrong}\"'"
        )
    asked = Question(
        _joined(query),
        session=session and session_id(session),
        project=_folder(project),
        role=role,
        tool=tool,
        agent=agent,
        since=filter_point("since", since),
        until=filter_point("until", until, end=True),
        limit=limit,
        cursor=cursor,
        now=time.time(),
    )
    with command_engine() as engine:
        found = engine.past.search(asked)
    if as_json:
        out_json(found_json(found))
    else:
        _write(found)
    return 0


def _folder(project: str) -> str:
    """A folder that is named from here on in full; a name as it is."""
    return str(Path(project).expanduser().resolve()) if project.startswith((".", "~")) else project


def _joined(words: list[str]) -> str:
    """The query as one text; what the shell took as one word with blanks in it was quoted, and is a phrase."""
    if len(words) == 1:
        return words[0]
    return " ".join(f'"{word}"' if " " in word and '"' not in word else word for word in words)


def _write(found: Found) -> None:
    from prune_mcp.server.tools.history_text import NO_MORE, NONE, guillemets, hit_lines

    marked = bold if shows_bold() else guillemets
    for number, hit in enumerate(found.hits, found.first):
        out_marked("\n".join(hit_lines(number, hit, marked)))
    if not found.hits:
        say(NONE if found.first == 1 else NO_MORE)
    for note in found.notes:
        say(note)
    if found.cursor:
        say(f"There is more: --cursor {found.cursor}")
