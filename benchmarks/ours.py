"""Our own views, as the engine gives them, in the configurations that the tables name."""

from __future__ import annotations

import tempfile
from pathlib import Path

from corpus import Message

from prune_mcp.engine.engine import Engine
from prune_mcp.engine.settings import Settings
from prune_mcp.pruning.options import ChainOptions, OpenChainOptions, PruneOptions

DEFAULT = "ours, chains with window 3 (default)"
CONFIGURATIONS = {
    "ours, stubs only": PruneOptions(
        chain_compression=ChainOptions(enabled=False), open_chain=OpenChainOptions(enabled=False)
    ),
    DEFAULT: PruneOptions(),
    "ours, chains with window 1": PruneOptions(chain_compression=ChainOptions(rolling_window=1)),
    "ours, chains with window 0": PruneOptions(chain_compression=ChainOptions(rolling_window=0)),
}


def engine(folder: Path, options: PruneOptions | None = None) -> Engine:
    """An engine whose store is in `folder`; whatever the environment sets does not count."""
    return Engine({"PRUNE_MCP_HOME": str(folder)}, settings=Settings(prune=options or PruneOptions()))


def view(messages: list[Message], options: PruneOptions) -> list[Message]:
    """The messages pruned for the first time, by a store of their own."""
    with tempfile.TemporaryDirectory(prefix="prune-mcp-view-") as folder:
        made = engine(Path(folder), options)
        try:
            pruned: list[Message] = made.prune_messages(messages).messages
        finally:
            made.close()
    return pruned
