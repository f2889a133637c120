"""A shelf to put outputs on."""

from __future__ import annotations

import pytest

from prune_mcp.storage.protocol import Store
from tests.recovery.shelf import Shelf


@pytest.fixture
def shelf(store: Store) -> Shelf:
    """The session `alpha-session` of a store."""
    return Shelf(store)
