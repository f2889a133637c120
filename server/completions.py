"""Completions: the sessions, refs and projects that go on from what a person has typed in a client."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp_types import Completion

from prune_mcp.server.unicode import clean

if TYPE_CHECKING:
    from mcp_types import CompletionArgument, CompletionContext

    from prune_mcp.engine.engine import Engine
    from prune_mcp.server.worker import Worker

# As many as the protocol lets an answer hold.
MOST = 100


async def complete(worker: Worker, argument: CompletionArgument, context: CompletionContext | None) -> Completion:
    """The values that go on from an argument's beginning, the likeliest first."""
    session = (context.arguments or {}).get("session", "") if context else ""

    def work(engine: Engine) -> list[str]:
        from prune_mcp.engine import suggestions

        if argument.name == "session":
            return suggestions.sessions(engine.store, engine.past, argument.value)
        if argument.name == "ref":
            return suggestions.refs(engine.store, argument.value, session)
        return suggestions.projects(engine.past, argument.value) if argument.name == "project" else []

    found = await worker.run(work)
    return Completion(values=clean(found[:MOST]), total=len(found), has_more=len(found) > MOST)
