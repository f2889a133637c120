"""The tools `history_search` and `history_read`: past sessions, and what left this one's context."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Annotated

from mcp.server.mcpserver import Context
from mcp_types import CallToolResult, TextContent
from pydantic import Field

from prune_mcp.server.tools.strict import READS, strict_tool
from prune_mcp.server.unicode import clean
from prune_mcp.server.worker import Worker

if TYPE_CHECKING:
    from collections.abc import Sequence

    from mcp.server.mcpserver.tools import Tool

    from prune_mcp.engine.past import PastSessions
    from prune_mcp.sessions.session_file import SessionFile

SEARCH = """\
Find what was said and done before: prompts, answers, commands, file contents, tool output. This session, also \
what was compacted away, newest first; with all=true every past session of every agent on this machine, best \
first."""
READ = """\
Read an entry that history_search found, in pages, or with its neighbours."""

Query = Annotated[
    str,
    Field(description='Words (any may match), "a phrase", prefix*, -without.'),
]
All = Annotated[bool, Field(strict=True, description="All sessions, not just this one.")]
Session = Annotated[str, Field(description="Only this session, by id.")]
Project = Annotated[str, Field(description="Only this folder, by path or name.")]
RoleFilter = Annotated[
    str, Field(description="user, assistant, thinking, call, result, tool, summary, title or machine.")
]
ToolFilter = Annotated[str, Field(description="Only this tool's calls and results.")]
Agent = Annotated[str, Field(description="claude-code, codex, gemini, pi, ...")]
Since = Annotated[str, Field(description="Such as 2026-03-01 or 3d (ago).")]
Until = Annotated[str, Field(description="Likewise; that day included.")]
Limit = Annotated[int, Field(ge=1, le=50, strict=True, description="Hits, 10 by default.")]
Cursor = Annotated[str, Field(description="From an answer: the next hits.")]

Entry = Annotated[str, Field(description="ENTRY@SESSION, as found.")]
Offset = Annotated[int, Field(ge=0, strict=True, description="First character of the page.")]
Characters = Annotated[int, Field(ge=2000, le=20000, strict=True, description="Characters, 8000 by default.")]
Around = Annotated[int, Field(ge=0, le=20, strict=True, description="Entries to show before and after.")]

UNTOLD = "Which session this is could not be told, so all were searched."
# A search of everything needs to know its own session only to rank it last, and does not wait for it.
NO_WAIT = (0.0,)


async def history_search(
    ctx: Context[Worker],
    query: Query,
    all: All = False,
    session: Session = "",
    project: Project = "",
    role: RoleFilter = "",
    tool: ToolFilter = "",
    agent: Agent = "",
    since: Since = "",
    until: Until = "",
    limit: Limit = 10,
    cursor: Cursor = "",
) -> CallToolResult:
    """The hits of a query, in this session or in all."""
    from prune_mcp.engine.past import Question
    from prune_mcp.server.since import filter_point
    from prune_mcp.server.tools.history_text import hits_text

    worker = ctx.request_context.lifespan_context
    own, files = await _own(ctx, patient=not (all or session or agent or project))
    here = "" if all or agent or project else own
    asked = Question(
        query,
        session=session or here,
        project=project,
        role=role,
        tool=tool,
        agent=agent,
        since=filter_point("since", since),
        until=filter_point("until", until, end=True),
        limit=limit,
        cursor=cursor,
        own_session=own,
        now=time.time(),
    )
    found = await worker.look(lambda past: past.search(asked, files))
    if not (all or session or agent or project or own):
        found.notes.insert(0, UNTOLD)
    return _text(hits_text(found))


async def _own(ctx: Context[Worker], *, patient: bool) -> tuple[str, Sequence[SessionFile]]:
    """The session that asks, "" where it cannot be told, and all session files, as they were found for that.

    patient: its host may still have to write the call.
    """
    from prune_mcp.server.caller import own_session_id

    past = await ctx.request_context.lifespan_context.look(lambda past: past)
    found: list[SessionFile] = []

    def find() -> list[SessionFile]:
        found[:] = past.files()
        return found

    return await own_session_id(ctx, None if patient else NO_WAIT, find), found


async def history_read(
    ctx: Context[Worker], entry: Entry, offset: Offset = 0, limit: Characters = 8000, around: Around = 0
) -> CallToolResult:
    """One entry, or it and its neighbours."""
    from prune_mcp.server.tools.reading_text import reading_text

    def work(past: PastSessions) -> str:
        return reading_text(past.read(entry, offset=offset, limit=limit, around=around))

    return _text(await ctx.request_context.lifespan_context.look(work))


def _text(text: str) -> CallToolResult:
    return CallToolResult(content=[TextContent(type="text", text=clean(text))])


def search_tool() -> Tool:
    """The search as served."""
    return strict_tool(history_search, description=SEARCH, annotations=READS)


def read_tool() -> Tool:
    """The reading as served."""
    return strict_tool(history_read, description=READ, annotations=READS)
