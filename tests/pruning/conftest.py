"""An engine with the default settings."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from prune_mcp.engine import Engine


@pytest.fixture
def engine(make_engine: Callable[..., Engine]) -> Engine:
    """An engine with the default settings."""
    return make_engine()
