"""Pruning with the help of models: try, ask what is open, and try again."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Literal, Protocol, TypeVar

if TYPE_CHECKING:
    from prune_mcp.engine.prune.prune import Request
    from prune_mcp.engine.summaries.models import Models
    from prune_mcp.engine.summaries.summaries import Summaries
    from prune_mcp.storage.protocol import Store

    # What a prune may be told of summaries: to ask the endpoint of the settings, or what a client's model wrote.
    Summarize = Literal["endpoint"] | Summaries | None

T = TypeVar("T")

# Outputs, then ranges that hold several of their summaries, then what came in while the models wrote.
ROUNDS = 3


class Asking(Protocol):
    """Who has models to ask, and a store to charge for it."""

    @property
    def models(self) -> Models:
        """The models of the settings."""

    @property
    def store(self) -> Store:
        """The store."""


def summarized(attempt: Callable[[], T], request: Request, summarize: Summarize, asking: Asking) -> T:
    """What `attempt` makes of the request, once models have answered what its tries leave open.

    `attempt` prunes as the request says, and holds nothing between two tries. A dry run asks nobody.
    """
    if summarize is None:
        return attempt()
    from prune_mcp.engine.summaries.models import settle
    from prune_mcp.engine.summaries.progress import Steps
    from prune_mcp.engine.summaries.summaries import Summaries, Unanswered, unasked

    request.progress = Steps(request.progress) if request.progress else None
    if summarize != "endpoint":
        request.summaries = summarize
        if summarize.closed:
            settle(asking.store, summarize)
        return attempt()
    if request.dry_run:
        request.summaries = unasked(dry_run=True)
        return attempt()
    request.summaries = Summaries(asking.models.options)
    for _ in range(ROUNDS):
        try:
            return attempt()
        except Unanswered:
            asking.models.ask(asking.store, request.summaries, request.progress)
    request.summaries.closed = True
    return attempt()
