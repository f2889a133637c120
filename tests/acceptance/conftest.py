"""What the acceptance tests share: the product in a home of its own, and something it has kept before."""

from __future__ import annotations

import sys
from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.acceptance.kept import Kept, keep
from tests.acceptance.product import Product
from tests.acceptance.views import SETTINGS, Running

# What runs as a benchmark for a minute runs as a test for seconds.
sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))


@pytest.fixture
def product(tmp_path: Path) -> Product:
    """The product in a home of its own."""
    home = tmp_path / "home"
    home.mkdir()
    return Product(home)


@pytest.fixture
def kept(product: Product) -> Kept:
    """A conversation that was pruned before, its outputs archived."""
    return keep(product, "earlier")


@pytest.fixture(scope="module", params=SETTINGS)
async def running(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> AsyncIterator[Running]:
    """One server for all sessions of this module, by settings."""
    product = Product(tmp_path_factory.mktemp(request.param), SETTINGS[request.param])
    async with product.serve() as server:
        yield Running(product, server)
