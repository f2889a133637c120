"""What the acceptance tests share: the product in a home of its own, and something it has kept before."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.acceptance.kept import Kept, keep
from tests.acceptance.product import Product


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
