"""Resources: the status, and by template a session's tree, its outline, an entry, and the original of a ref."""

from __future__ import annotations

from collections.abc import Callable
from importlib.metadata import version
from typing import TYPE_CHECKING

from mcp.server.mcpserver import Context
from mcp.server.mcpserver.exceptions import ResourceError, ResourceNotFoundError

from prune_mcp.server.unicode import clean
from prune_mcp.server.worker import Worker

if TYPE_CHECKING:
    from mcp.server import MCPServer

    from prune_mcp.engine.engine import Engine

ENTRY_CHARS = 8000


async def status_text(worker: Worker) -> str:
    """What is archived and indexed."""
    from prune_mcp.server.tools.overview_text import overview_text

    def work(engine: Engine) -> str:
        from prune_mcp.engine.overview import overview

        return overview_text(overview(engine.store, engine.past), version("prune-mcp"))

    return await _answered(worker, work)


async def tree(session: str, ctx: Context[Worker]) -> str:
    """What was pruned in a session, with sizes."""

    def work(engine: Engine) -> str:
        from prune_mcp.engine.recovery.tree import shape

        return shape(engine.tree(session))

    return await _answered(ctx.request_context.lifespan_context, work)


async def outline(session: str, ctx: Context[Worker]) -> str:
    """What was asked for in a session, in order."""
    from prune_mcp.server.tools.overview_text import outline_text

    def work(engine: Engine) -> str:
        from prune_mcp.engine.outline import outline

        return outline_text(outline(engine.past, session))

    return await _answered(ctx.request_context.lifespan_context, work)


async def entry(entry: str, ctx: Context[Worker]) -> str:
    """One entry of a past session: ENTRY@SESSION, as a search shows it."""
    from prune_mcp.server.tools.reading_text import reading_text

    def work(engine: Engine) -> str:
        return reading_text(engine.past.read(entry, limit=ENTRY_CHARS))

    return await _answered(ctx.request_context.lifespan_context, work)


async def ref(ref: str, ctx: Context[Worker]) -> str:
    """The original behind a ref: t5@SESSION, b2@SESSION."""

    def work(engine: Engine) -> str:
        from prune_mcp.engine.recovery.fence import shape

        return shape(engine.recover([ref]))

    return await _answered(ctx.request_context.lifespan_context, work)


TEMPLATES = (
    ("prune://tree/{session}", "tree", "What was pruned in a session", tree),
    ("prune://session/{session}", "session", "A session in outline", outline),
    ("prune://entry/{entry}", "entry", "An entry of a past session", entry),
    ("prune://ref/{ref}", "ref", "The original behind a ref", ref),
)


def add_resources(server: MCPServer[Worker], worker: Worker) -> None:
    """Let a server serve them all."""

    async def status() -> str:
        return await status_text(worker)

    described = "What is archived and indexed, and what could not be read."
    server.resource("prune://status", name="status", title="Status", description=described)(status)
    for uri, name, title, read in TEMPLATES:
        server.resource(uri, name=name, title=title, description=read.__doc__)(read)


async def _answered(worker: Worker, work: Callable[[Engine], str]) -> str:
    """The text that `work` makes.

    Raises:
        ResourceNotFoundError: what was asked for is not there; the message says what is.
        ResourceError: the store cannot be read.
    """
    from prune_mcp.engine.answers import EngineError
    from prune_mcp.engine.past import SearchError
    from prune_mcp.sessions.model import SessionError
    from prune_mcp.storage.errors import StoreError
    from prune_mcp.storage.ways_out import in_words

    try:
        text: str = clean(await worker.run(work))
    except (EngineError, SearchError, SessionError) as error:
        raise ResourceNotFoundError(clean(str(error))) from error
    except StoreError as error:
        raise ResourceError(clean(str(error))) from error
    except OSError as error:
        raise ResourceError(clean(in_words(error))) from error
    return text
