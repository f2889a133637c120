"""The tool `prune_context`: prune messages passed in, or the transcript of this conversation."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.resolve import Resolve
from mcp_types import CallToolResult, ToolAnnotations
from pydantic import Field, WithJsonSchema

from prune_mcp.server.sampling import Wanted, ask_ranges, consult, written
from prune_mcp.server.tools.prune_call import PruneCall, find_path
from prune_mcp.server.tools.strict import strict_tool
from prune_mcp.server.worker import Worker

if TYPE_CHECKING:
    from mcp.server.mcpserver.tools import Tool

    from prune_mcp.engine.answers import PruneAnswer

DESCRIPTION = """\
Shrink what fills the context, after a long search or test run, before the next phase of a task, or when the \
context runs full. Every tool output is archived under a ref (t5; blocks are b2); old ones become stubs and \
digests that keep errors, names and numbers, finished exchanges are compressed, the newest turns stay whole. \
Nothing is lost: context_tree_query brings back any ref exactly. `effect` tells what really happened: applied \
(the pruned messages are in the answer), at_next_compaction, or advisory (nothing has shrunk yet: follow \
next_steps)."""

Session = Annotated[
    str,
    Field(description="A session's id or its beginning, or a transcript's path. Default: this conversation."),
]
Payload = Annotated[
    list[Any] | dict[str, Any] | None,
    WithJsonSchema({"anyOf": [{"type": "array", "items": {"type": "object"}}, {"type": "object"}]}),
]
Messages = Annotated[
    Payload,
    Field(
        description="For programs that hold the history: messages, or a whole request body, of Anthropic "
        "Messages, OpenAI Chat Completions or OpenAI Responses; comes back pruned in the same shape."
    ),
]
# The two as other tools take them.
SameSession = Annotated[str, Field(description="As for prune_context.")]
SameMessages = Annotated[Payload, Field(description="As for prune_context.")]
Note = Annotated[
    str,
    Field(description="What matters for the work ahead; shown once in the pruned view."),
]
KeepTurns = Annotated[int | None, Field(ge=0, strict=True, description="Newest turns left whole. Default 3.")]
DryRun = Annotated[bool, Field(strict=True, description="Only tell what would be done.")]
Summarize = Annotated[Wanted, Field(description="Whose model writes summaries. Default: none.")]


async def prune_context(
    ctx: Context[Worker],
    session: Session = "",
    messages: Messages = None,
    note: Note = "",
    keep_turns: KeepTurns = None,
    dry_run: DryRun = False,
    summarize: Summarize = None,
    *,
    path: Annotated[Any, Resolve(find_path)],
    consulted: Annotated[Any, Resolve(consult)],
    ranges: Annotated[Any, Resolve(ask_ranges)],
) -> CallToolResult:
    """Prune the messages, or the session on disk, and tell what happened."""
    call = PruneCall(path, session, messages, keep_turns, note, dry_run)
    return _result(ctx, await call.run(ctx, written(ctx, call, summarize, consulted, ranges)))


def _result(ctx: Context[Worker], answer: PruneAnswer) -> CallToolResult:
    from prune_mcp.server.hosts import next_steps
    from prune_mcp.server.tools.prune_text import added, text
    from prune_mcp.server.tools.view_result import view_result

    answer.outcomes = added(answer.outcomes)
    return view_result(ctx, answer, next_steps, text)


def prune_tool() -> Tool:
    """The tool as served."""
    return strict_tool(
        prune_context,
        description=DESCRIPTION,
        annotations=ToolAnnotations(
            read_only_hint=False, destructive_hint=False, idempotent_hint=True, open_world_hint=False
        ),
    )
