"""The tool `collapse_turns`: finished exchanges as one summary, in messages passed in or in a session's plan."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from mcp.server.mcpserver import Context
from mcp_types import CallToolResult, ToolAnnotations
from pydantic import Field

from prune_mcp.server.tools.prune_tool import SameMessages, SameSession
from prune_mcp.server.tools.strict import strict_tool
from prune_mcp.server.worker import Worker, reporter

if TYPE_CHECKING:
    from mcp.server.mcpserver.tools import Tool

    from prune_mcp.engine.collapse.collapse import CollapseAnswer

DESCRIPTION = """\
Replace the newest finished exchanges by one summary of what was done: files, commands, checks, failures, \
commits. Prompts and answers stay; a ref brings the rest back."""

Turns = Annotated[int, Field(ge=1, strict=True, description="How many exchanges. Default 1.")]


async def collapse_turns(
    ctx: Context[Worker], turns: Turns = 1, session: SameSession = "", messages: SameMessages = None
) -> CallToolResult:
    """Collapse exchanges of the messages, or of the session on disk, and tell what happened."""
    worker, report = ctx.request_context.lifespan_context, reporter(ctx)
    if messages is not None:
        from prune_mcp.server.target import plain_advice

        named = session or None
        with plain_advice():
            answer = await worker.run(
                lambda engine: engine.collapse_messages(messages, turns=turns, session=named, progress=report)
            )
    else:
        from prune_mcp.server.caller import named_or_own

        path = (await named_or_own(ctx, session)).address
        answer = await worker.run(lambda engine: engine.collapse_transcript(path, turns=turns, progress=report))
    return _result(ctx, answer)


def _result(ctx: Context[Worker], answer: CollapseAnswer) -> CallToolResult:
    from prune_mcp.server.tools.collapse_text import next_steps, text
    from prune_mcp.server.tools.view_result import view_result

    return view_result(ctx, answer, next_steps, text)


def collapse_tool() -> Tool:
    """The tool as served."""
    return strict_tool(
        collapse_turns,
        description=DESCRIPTION,
        annotations=ToolAnnotations(read_only_hint=False, destructive_hint=False, open_world_hint=False),
    )
