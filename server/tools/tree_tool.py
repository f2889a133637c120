"""The tool `context_tree_query`: the tree of what was pruned, or the originals behind its refs."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ToolError
from mcp_types import CallToolResult, ContentBlock, ImageContent, TextContent
from pydantic import BeforeValidator, Field, WithJsonSchema

from prune_mcp.server.tools.strict import READS, strict_tool
from prune_mcp.server.unicode import clean
from prune_mcp.server.worker import Worker

if TYPE_CHECKING:
    from mcp.server.mcpserver.tools import Tool

    from prune_mcp.engine.answers import RecoverAnswer, TreeAnswer
    from prune_mcp.engine.engine import Engine

DESCRIPTION = """\
Bring back what was pruned, exactly, instead of running a tool again. With refs: the originals, or better the \
part you need: `lines`, or `pattern` to find lines. t5 is an output, b2 a block with all it replaced, t5@SESSION \
an output of another session; a tool-call id works too. A long answer ends with a cursor. Without refs: the tree \
of what was pruned here, with sizes."""


# How a cursor of recovered outputs begins; it carries its refs along.
OF_REFS = "refs-"


def as_list(value: Any) -> Any:
    """Refs as a list, also when they came as one text; the engine finds several refs inside one text."""
    return [value] if isinstance(value, str) else value


def as_text(value: Any) -> Any:
    """Lines as a text, also when one line came as its number."""
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else value


Refs = Annotated[
    list[str] | None,
    BeforeValidator(as_list),
    Field(description='What to bring back, such as ["t5", "b2"].'),
]
Lines = Annotated[
    str,
    BeforeValidator(as_text),
    WithJsonSchema({"anyOf": [{"type": "string"}, {"type": "integer"}]}),
    Field(description="A:B, from 1; `:40` the head, `-20:` the tail."),
]
Pattern = Annotated[str, Field(description="A regular expression: only lines that match.")]
Around = Annotated[int, Field(ge=0, strict=True, description="Lines around each match. Default 0.")]
Offset = Annotated[int | None, Field(ge=0, strict=True, description="First character of a page, from 0.")]
Limit = Annotated[
    int | None,
    Field(
        ge=1,
        strict=True,
        description="Characters of it, or of the answer; rows of the tree.",
    ),
]
Cursor = Annotated[
    str,
    Field(description="From a cut answer: the rest."),
]
Session = Annotated[
    str,
    Field(description="Whose refs; as in prune_context."),
]


async def context_tree_query(
    ctx: Context[Worker],
    refs: Refs = None,
    lines: Lines = "",
    pattern: Pattern = "",
    context: Around = 0,
    offset: Offset = None,
    limit: Limit = None,
    cursor: Cursor = "",
    session: Session = "",
) -> CallToolResult:
    """The tree, or the originals of some refs."""
    from prune_mcp.server.caller import own_session_id, refuse_path, stored
    from prune_mcp.server.target import session_id

    of_tree = not refs and not cursor.startswith(OF_REFS)
    if of_tree:
        _refuse_parts(lines, pattern, offset)
    refuse_path(ctx, session)
    # A cursor knows its session.
    own = "" if session or cursor else await own_session_id(ctx)

    def work(engine: Engine) -> CallToolResult:
        where = session_id(session) if session else stored(engine, own)
        if of_tree:
            return _tree(engine.tree(where or own or None, limit=limit, cursor=cursor or None))
        answer = engine.recover(
            refs or [],
            session=where,
            lines=lines or None,
            pattern=pattern or None,
            context=context,
            offset=offset,
            limit=limit,
            cursor=cursor or None,
        )
        return _originals(answer)

    return await ctx.request_context.lifespan_context.run(work)


def _refuse_parts(lines: str, pattern: str, offset: int | None) -> None:
    given = [name for name, value in (("lines", lines), ("pattern", pattern), ("offset", offset)) if value]
    if given:
        raise ToolError(f"`{given[0]}` picks from originals: name them in `refs`, or leave it out for the tree.")


def _tree(answer: TreeAnswer) -> CallToolResult:
    from prune_mcp.engine.recovery.tree import shape

    return CallToolResult(content=[TextContent(type="text", text=clean(shape(answer)))])


def _originals(answer: RecoverAnswer) -> CallToolResult:
    from prune_mcp.engine.recovery.fence import shape

    content: list[ContentBlock] = [TextContent(type="text", text=clean(shape(answer)))]
    for item in answer.items:
        content += [ImageContent(type="image", mime_type=kind, data=data) for kind, data in item.images]
    return CallToolResult(content=content)


def tree_tool() -> Tool:
    """The tool as served."""
    return strict_tool(
        context_tree_query,
        description=DESCRIPTION,
        annotations=READS,
    )
