"""Which session a tool call is about when it names none: the one that made it."""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import anyio
from anyio import to_thread

from prune_mcp.server.hosts import BY_ID, calling_host

if TYPE_CHECKING:
    from mcp.server.mcpserver import Context

    from prune_mcp.engine.engine import Engine
    from prune_mcp.server.worker import Worker
    from prune_mcp.sessions.session_file import SessionFile

    Find = Callable[[], list[SessionFile]]

TAIL_BYTES = 1 << 18
# Hosts write the line of a call a moment before or after they make it.
WAITS_SECONDS = (0.0, 0.05, 0.1, 0.2, 0.4)
# Files looked at for the call, of those written lately.
MOST_LIVE = 16


def discovered() -> list[SessionFile]:
    """The session files of this machine."""
    from prune_mcp.sessions.discover import discover
    from prune_mcp.storage.home import user_folder

    return list(discover(os.environ, user_folder(os.environ)))


async def named_or_own(ctx: Context[Worker], session: str) -> SessionFile:
    """The session file that `session` names, or the caller's own when it is empty.

    Raises:
        SessionError: there is none, or it cannot be told; the message names candidates.
    """
    if not session:
        return await own_session(ctx)
    refuse_path(ctx, session)
    from prune_mcp.server.target import located

    return await to_thread.run_sync(located, session)


async def own_session(
    ctx: Context[Worker], waits: Sequence[float] | None = None, find: Find = discovered
) -> SessionFile:
    """The session that holds this very call, else the one that the host names, else the only live one here.

    `waits`: seconds before each look for the call; `find` tells the session files. Over HTTP the caller may be on
    another machine, or one of several: only what its request names counts.

    Raises:
        SessionError: it cannot be told; the message names the newest.
    """
    from prune_mcp.server.target import here
    from prune_mcp.sessions.which import current, named_by_request

    _refuse_unread(client_host(ctx))
    meta = dict(ctx.request_context.meta or {})
    if over_http(ctx):
        return await to_thread.run_sync(lambda: named_by_request(meta, find()))
    own, files = await _holder(ctx, _waits(ctx) if waits is None else waits, find)
    if own is not None:
        return own
    return await to_thread.run_sync(current, os.environ, here(), files, time.time(), meta)


async def own_session_id(
    ctx: Context[Worker], waits: Sequence[float] | None = None, find: Find = discovered
) -> str:
    """The id of the caller's own session, "" when it cannot be told; see `own_session`."""
    from prune_mcp.sessions.model import SessionError

    try:
        return (await own_session(ctx, waits, find)).id
    except SessionError:
        return ""


def stored(engine: Engine, session: str) -> str | None:
    """The session's id if the store knows it; for a subagent it does not know, that of the session above."""
    for id in (session, session.partition("/")[0]):
        if id and engine.store.session(id) is not None:
            return id
    return None


def client_host(ctx: Context[Worker]) -> str:
    """The id of the host that calls, "" when it is none we know."""
    client = ctx.session.client_params
    # What started a server that serves HTTP is not what calls it.
    env = {} if over_http(ctx) else os.environ
    return calling_host(client.client_info.name if client else "", env)


def over_http(ctx: Context[Worker]) -> bool:
    """Whether a call came over HTTP, from whoever it may be."""
    return ctx.headers is not None


def refuse_path(ctx: Context[Worker], session: str) -> None:
    """Refuse a path in a session's place over HTTP: files of this machine are not the caller's to name.

    Raises:
        SessionError: it is one.
    """
    from prune_mcp.sessions.model import SessionError
    from prune_mcp.sessions.which import as_path

    if over_http(ctx) and as_path(session):
        raise SessionError("Over HTTP a session is named by its id, or the beginning of one, and not by a path.")


def _refuse_unread(host: str) -> None:
    from prune_mcp.sessions.model import SessionError

    if host and not BY_ID[host].read:
        raise SessionError(
            f"The sessions of {BY_ID[host].name} cannot be read from here. Name another session, or pass the "
            "messages themselves."
        )


def _waits(ctx: Context[Worker]) -> Sequence[float]:
    """Seconds before each look for the call; one look for a client of no known host whose call was never seen."""
    in_vain = ctx.request_context.lifespan_context.waited_in_vain
    return WAITS_SECONDS[:1] if in_vain and not client_host(ctx) else WAITS_SECONDS


async def _holder(
    ctx: Context[Worker], waits: Sequence[float], find: Find
) -> tuple[SessionFile | None, list[SessionFile]]:
    """The only session that holds this call, None where that is not to be seen; and all session files."""
    params = ctx.request_context.params or {}
    tool, arguments = str(params.get("name", "")), params.get("arguments") or {}
    files: list[SessionFile] = []
    holding: list[SessionFile] = []
    for wait in waits:
        await anyio.sleep(wait)
        files = await to_thread.run_sync(find)
        live = _live(files)
        if not live:
            return None, files
        holding = await _holding(live, tool, arguments)
        if len(holding) == 1:
            return holding[0], files
    if len(waits) > 1 and not holding:
        ctx.request_context.lifespan_context.waited_in_vain = True
    return None, files


def _live(files: Iterable[SessionFile]) -> list[SessionFile]:
    """The session files that were written lately, subagents' as well, the newest first and not too many."""
    from prune_mcp.sessions.which import LIVE_SECONDS

    since = time.time() - LIVE_SECONDS
    live = [file for file in files if file.mtime >= since]
    return sorted(live, key=lambda file: -file.mtime)[:MOST_LIVE]


async def _holding(files: list[SessionFile], tool: str, arguments: Mapping[str, Any]) -> list[SessionFile]:
    """Those of the files whose end holds this call, still without a result."""
    from prune_mcp.sessions.own_call import ending, holds_call

    holding: list[SessionFile] = []

    async def look(file: SessionFile) -> None:
        tail = await to_thread.run_sync(ending, file) if file.inside else await _tail(file.path)
        if holds_call(tail, tool, arguments):
            holding.append(file)

    async with anyio.create_task_group() as looks:
        for file in files:
            looks.start_soon(look, file)
    return holding


async def _tail(path: Path) -> bytes:
    """The end of a file; empty when it went away meanwhile."""
    import aiofiles

    try:
        async with aiofiles.open(path, "rb") as file:
            end = await file.seek(0, os.SEEK_END)
            await file.seek(max(0, end - TAIL_BYTES))
            return await file.read()
    except OSError:
        return b""
