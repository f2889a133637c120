"""One call of `prune_context`: what it is about, and pruning that."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mcp.server.mcpserver import Context

from prune_mcp.server.worker import Worker, reporter

if TYPE_CHECKING:
    from prune_mcp.engine.answers import PruneAnswer
    from prune_mcp.engine.summaries.run import Summarize


async def find_path(ctx: Context[Worker], session: str, messages: Any) -> Path | None:
    """Where the session is that a call is about; None where it brings its messages along.

    Raises:
        SessionError: it cannot be told.
    """
    if messages is not None:
        return None
    from prune_mcp.server.caller import named_or_own

    return (await named_or_own(ctx, session)).address


@dataclass(frozen=True, slots=True)
class PruneCall:
    """A call about the session at `path`, or about `messages`, which may belong to a `session`."""

    path: Path | None
    session: str = ""
    messages: list[Any] | dict[str, Any] | None = None
    keep_turns: int | None = None
    note: str = ""
    dry_run: bool = False

    @property
    def key(self) -> str:
        """The same for calls that decide the same."""
        about = [str(self.path)] if self.path else [self.session, self.messages]
        told = json.dumps([*about, self.keep_turns], sort_keys=True)
        return hashlib.sha256(told.encode()).hexdigest()

    async def run(
        self, ctx: Context[Worker], summarize: Summarize = None, *, dry_run: bool = False
    ) -> PruneAnswer:
        """Prune, or only tell what pruning would do; what the engine raises is raised."""
        worker, path = ctx.request_context.lifespan_context, self.path
        options: dict[str, Any] = {
            "keep_turns": self.keep_turns,
            "note": self.note,
            "dry_run": dry_run or self.dry_run,
            "summarize": summarize,
            "progress": reporter(ctx),
        }
        if path is not None:
            return await worker.run(lambda engine: engine.prune_transcript(path, **options))
        from prune_mcp.server.target import prune_messages

        session = self.session or None
        return await worker.run(lambda engine: prune_messages(engine, self.messages, session=session, **options))
