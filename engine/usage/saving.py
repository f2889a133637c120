"""What pruning now would save, and how many later requests it takes to pay for that."""

from __future__ import annotations

from prune_mcp.engine.prune.measure import CACHE_READ, CACHE_WRITE, Measure
from prune_mcp.engine.prune.prune import Pruned
from prune_mcp.engine.usage.answer import Saving
from prune_mcp.engine.usage.windows import Prices

# Of a model whose prices are not known: shares of an uncached input token.
SHARES = Prices(1, CACHE_READ, CACHE_WRITE)
MILLION = 1e6


def saving(pruned: Pruned, prices: Prices | None) -> Saving:
    """What a prune that was only tried would leave."""
    weight = pruned.measure
    saved = weight.before - weight.after
    found = Saving(weight.before, weight.after, None, None, held_back=pruned.rendered.bound)
    if saved > 0:
        found.break_even_cached = break_even(weight, prices or SHARES)
        # What is not cached is sent anew in any case: the next request costs less already.
        found.break_even_uncached = 0.0
    if saved > 0 and prices:
        found.per_request_cached = round(saved * prices.cached / MILLION, 6)
        found.per_request_uncached = round(saved * prices.uncached / MILLION, 6)
    return found


def break_even(weight: Measure, prices: Prices) -> float:
    """Later requests until a prune has paid for writing what stands behind its first edit into the cache anew."""
    rest = weight.after - weight.prefix
    saved = weight.before - weight.after
    return round(rest * (prices.written - prices.cached) / (saved * prices.cached), 1)
