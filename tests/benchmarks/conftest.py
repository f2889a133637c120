"""The benchmarks are scripts whose modules import each other by bare names; the tests do the same."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[2] / "benchmarks"))
