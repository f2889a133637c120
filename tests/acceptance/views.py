"""What the tests of pruned views share: the product under two groups of settings, and the faults of a view."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from tests.acceptance.product import Product, Server
from tests.acceptance.subjects import CHECKS

# Prunes as much as there is to prune.
AGGRESSIVE = {
    "PRUNE_MCP_KEEP_TURNS": "1",
    "PRUNE_MCP_THINKING": "strip",
    "PRUNE_MCP_CHAIN_COMPRESSION__ROLLING_WINDOW": "0",
    "PRUNE_MCP_OPEN_CHAIN__KEEP_TURNS": "3",
    "PRUNE_MCP_OPEN_CHAIN__MIN_TOKENS": "500",
}
SETTINGS: dict[str, dict[str, str]] = {"default": {}, "aggressive": AGGRESSIVE}


@dataclass
class Running:
    """The product under one group of settings, with its one server."""

    product: Product
    server: Server


def added_faults(format: str, raw: Sequence[Any], pruned: Sequence[Any]) -> list[str]:
    """The faults of a view that the raw messages have not."""
    return [*(Counter(_faults(format, pruned)) - Counter(_faults(format, raw))).elements()]


def _faults(format: str, entries: Sequence[Any]) -> list[str]:
    """The faults of messages, without the places where they stand."""
    return [re.sub(r"entry \d+: ", "", fault) for fault in CHECKS[format](entries)]


def told(what: str, missing: Sequence[str], count: int) -> str:
    """How many did not come back, and the first of them."""
    return "\n".join([f"{len(missing)} of {count} {what} did not come back:", *missing[:5]])
