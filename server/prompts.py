"""Prompts: what a person picks as a command in a client, put to the model in words that name the right tool."""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Annotated, Any

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.prompts import Prompt
from mcp.shared.exceptions import MCPError
from mcp_types import INVALID_PARAMS
from mcp_types import Prompt as Served
from pydantic import Field

from prune_mcp.engine.recovery.fence import inline
from prune_mcp.server.resources import status_text
from prune_mcp.server.worker import Worker

# Of a word that was given wrong so much is shown.
SHOWN_CHARS = 40

Note = Annotated[str, Field(description="What matters for the work ahead; it is kept with the prune.")]
Query = Annotated[str, Field(description='What to look for: words, "a phrase", a path, an error message.')]
Project = Annotated[str, Field(description="Only sessions of this folder, by path or name.")]
Turns = Annotated[str, Field(description="How many finished exchanges, the newest ones; 1 by default.")]


@dataclass(frozen=True, slots=True)
class Command:
    """A prompt, and the tool it needs ("" for none)."""

    name: str
    title: str
    description: str
    tool: str
    fn: Callable[..., Any]

    def prompt(self) -> Prompt:
        """The prompt as served."""
        return Prompt.from_function(self.fn, self.name, self.title, self.description)


def prune(note: Note = "") -> str:
    """Prune now."""
    return (
        f"Prune this conversation now: call prune_context{_arguments(note=note)}. Then tell me in a few lines the "
        "tokens before and after, what really happened (`effect` and why), and what I have to do, if anything."
    )


def context() -> str:
    """Where the context went."""
    return (
        "Show me where my context went: call context_usage. Tell the largest categories, tools and single items "
        "with their sizes, what of it is stale or sent twice, and what pruning now would save."
    )


def find(query: Query, project: Project = "") -> str:
    """Find in history."""
    return (
        f"Find this in my past sessions: call history_search{_arguments(query=query, project=project, all=True)}. "
        "Read what looks right with history_read, try other words if nothing does, and answer with what was "
        "found: quote it briefly, and name the session, the entry and the date."
    )


def collapse(turns: Turns = "") -> str:
    """Collapse finished work."""
    if turns and not (turns.isascii() and turns.isdigit() and int(turns) > 0):
        raise MCPError(INVALID_PARAMS, f"`turns` must be a whole number from 1 on, not {turns[:40]!r}.")
    return (
        f"Collapse the finished work: call collapse_turns{_arguments(turns=int(turns or 0))}. Then tell me in a "
        "few lines what the summary holds, what really happened (`effect` and why), and what I have to do, if "
        "anything."
    )


async def status(ctx: Context[Worker]) -> str:
    """How prune-mcp stands."""
    text = await status_text(ctx.request_context.lifespan_context)
    return f"This is how prune-mcp stands:\n\n{text}\n\nTell me in two sentences whether I should do anything."


COMMANDS = (
    Command("prune", "Prune now", "Shrink this conversation's context; nothing is lost.", "prune_context", prune),
    Command("context", "Where did my context go?", "What fills the context.", "context_usage", context),
    Command("find", "Find in history", "Find what was said or done in any past session.", "history_search", find),
    Command(
        "collapse",
        "Collapse the finished work",
        "Put finished exchanges into one summary, built without a model.",
        "collapse_turns",
        collapse,
    ),
    Command("status", "Status", "What is archived and indexed, and what needs attention.", "", status),
)


def prompts(tools: Collection[str]) -> list[Prompt]:
    """The prompts whose tool is served."""
    return [command.prompt() for command in COMMANDS if not command.tool or command.tool in tools]


def refuse_wrong(served: Sequence[Served], name: str, given: Mapping[str, Any]) -> None:
    """Refuse what cannot be asked for, in words of ours.

    Raises:
        MCPError: no such prompt is served, or one that takes no such argument, or needs another.
    """
    asked = next((prompt for prompt in served if prompt.name == name), None)
    if asked is None:
        names = [prompt.name for prompt in served]
        raise MCPError(INVALID_PARAMS, f"There is no prompt `{inline(name, SHOWN_CHARS)}`. {_meant(name, names)}")
    known = [argument.name for argument in asked.arguments or []]
    for other in given:
        if other not in known:
            told = f"`{name}` takes no argument `{inline(other, SHOWN_CHARS)}`. {_meant(other, known)}"
            raise MCPError(INVALID_PARAMS, told)
    for argument in asked.arguments or []:
        if argument.required and not str(given.get(argument.name, "")).strip():
            raise MCPError(INVALID_PARAMS, f"`{name}` needs `{argument.name}`: {argument.description}")


def _meant(word: str, known: Sequence[str]) -> str:
    """What a wrong word may have been meant for, and what there is."""
    near = get_close_matches(word, known, 1, 0.5)
    return f"{f'Did you mean `{near[0]}`? ' if near else ''}There is: {', '.join(known) or 'none'}."


def _arguments(**given: Any) -> str:
    """The arguments of a call that are given, in words; "" where none is."""
    told = [f"{name}={json.dumps(value, ensure_ascii=False)}" for name, value in given.items() if value]
    return f" with {', '.join(told)}" if told else ""
