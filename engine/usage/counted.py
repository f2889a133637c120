"""The provider's count beside the estimates: what it says of the whole, and what no transcript tells."""

from __future__ import annotations

from collections.abc import Sequence

from prune_mcp.engine.usage.answer import Counted, Part, Row
from prune_mcp.engine.usage.reported import Reported
from prune_mcp.engine.usage.rows import row
from prune_mcp.engine.usage.slices import ALL, Slice

# A count of an answer below so many parts of its estimate is none.
_CREDIBLE = 2


def counted(reported: Reported, slices: Sequence[Slice]) -> tuple[Counted | None, list[Row]]:
    """What the provider counted at the newest response, and rows for what of that the estimates do not hold.

    What they lacked at the first response of the context is what the host sends with every request (`untold`);
    what they lack beside that came up as the context grew, and is their error (`missed`). Where the estimates are
    above the count there is no such row, and `above` says by how much.
    """
    first, last = reported.first, reported.last
    if first is None or last is None:
        return None, []
    output = last.output
    inside = _estimated(slices, last.message)
    said = inside - _estimated(slices, last.message - 1)
    if output * _CREDIBLE < said:
        # What hosts write down while an answer still streams says next to nothing of it.
        output, inside = 0, inside - said
    lacking = last.prompt + output - inside
    since = sum(one.tokens for one in slices) - inside
    found = Counted(last.prompt, last.cached, output, since, max(0, -lacking))
    untold = max(0, min(lacking, first.prompt - _estimated(slices, first.message - 1)))
    missed = max(0, lacking - untold)
    return found, [_provided("untold", untold), _provided("missed", missed)]


def _estimated(slices: Sequence[Slice], until: int) -> int:
    """The estimate of everything up to a message, that included."""
    return sum(one.tokens for one in slices if one.message <= until)


def _provided(category: str, tokens: int) -> Row:
    found = row(category, [Part(ALL, tokens)])
    found.source = "provider"
    return found
