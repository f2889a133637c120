"""The tool `context_usage`: what fills the context of this conversation, or of messages passed in."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mcp.server.mcpserver import Context
from mcp_types import CallToolResult, TextContent

from prune_mcp.server.tools.prune_tool import SameMessages, SameSession
from prune_mcp.server.tools.strict import READS, strict_tool
from prune_mcp.server.unicode import clean
from prune_mcp.server.worker import Worker, reporter

if TYPE_CHECKING:
    from mcp.server.mcpserver.tools import Tool

    from prune_mcp.engine.usage.answer import UsageAnswer

DESCRIPTION = "What fills the context, by category, tool and item; what pruning would save."


async def context_usage(
    ctx: Context[Worker], session: SameSession = "", messages: SameMessages = None
) -> CallToolResult:
    """Weigh the messages, or the session on disk."""
    worker, report = ctx.request_context.lifespan_context, reporter(ctx)
    if messages is not None:
        from prune_mcp.server.target import plain_advice

        named = session or None
        with plain_advice():
            return _result(
                await worker.run(lambda engine: engine.usage_messages(messages, session=named, progress=report))
            )
    from prune_mcp.server.caller import named_or_own

    path = (await named_or_own(ctx, session)).address
    return _result(await worker.run(lambda engine: engine.usage_transcript(path, progress=report)))


def _result(answer: UsageAnswer) -> CallToolResult:
    from prune_mcp.server.tools.usage_text import structured, text

    content = TextContent(type="text", text=clean(text(answer)))
    return CallToolResult(content=[content], structured_content=clean(structured(answer)))


def usage_tool() -> Tool:
    """The tool as served."""
    return strict_tool(
        context_usage,
        description=DESCRIPTION,
        annotations=READS,
    )
