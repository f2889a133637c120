"""What the provider counted while exchanges of a session went on, as far as its source tells."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from prune_mcp.engine.usage.reported import Response
from prune_mcp.pruning.collapse_block import Usage
from prune_mcp.pruning.exchanges import Exchange


def used(responses: Iterable[Response], exchanges: Sequence[Exchange]) -> Usage | None:
    """What these exchanges used, None where the source tells nothing of it. A response may be told of twice."""
    found = [
        told
        for told in dict.fromkeys(responses)
        if any(exchange.start <= told.message < exchange.stop for exchange in exchanges)
    ]
    if not found:
        return None
    prompt, cached, output = (sum(column) for column in zip(*(told[1:] for told in found), strict=True))
    return Usage(len(found), prompt, cached, output)
