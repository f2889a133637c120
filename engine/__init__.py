"""The use cases, and the public Python API: `Engine` and what it answers."""

from prune_mcp.engine.answers import (
    AmbiguousRef,
    EngineError,
    PruneAnswer,
    RecoverAnswer,
    Recovered,
    TreeAnswer,
    UnknownRef,
)
from prune_mcp.engine.engine import Engine
from prune_mcp.engine.settings import Settings

__all__ = [
    "AmbiguousRef",
    "Engine",
    "EngineError",
    "PruneAnswer",
    "RecoverAnswer",
    "Recovered",
    "Settings",
    "TreeAnswer",
    "UnknownRef",
]
