"""What makes a start slow is what it imports: a real server's imports are counted up to its first tool list."""

from __future__ import annotations

import re
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pytest
from stdio import EMPTY, OURS, Server

IMPORTED = re.compile(rb"import time:\s+\d+ \|\s+\d+ \|\s+(\S+)")

# Only work that was asked for may load these; the whole engine is loaded by the first tool call.
LATE = (
    "prune_mcp.engine",
    "prune_mcp.pruning",
    "prune_mcp.search",
    "prune_mcp.sessions",
    "prune_mcp.storage",
    "aiofiles",
    "orjson",
    "rich",
    "sqlite3",
    "typer",
    "whoosh",
)
MOST_EXTRA_MODULES = 12


def imports(command: Sequence[str], home: Path) -> set[str]:
    """The names of all modules a server imports until its first tool list."""
    python, *arguments = command
    with tempfile.TemporaryFile() as errors:
        with Server((python, "-X", "importtime", *arguments), home, errors) as server:
            server.initialize()
            assert server.ask("tools/list")["tools"] or command == EMPTY
        errors.seek(0)
        return {name.decode() for name in IMPORTED.findall(errors.read())}


@pytest.mark.requirement("SRV-SMALL")
@pytest.mark.skipif(sys.platform == "win32", reason="ends its servers by waiting for them as Unix does")
def test_start_up_imports_hardly_more_than_an_empty_server(tmp_path: Path) -> None:
    extra = imports(OURS, tmp_path) - imports(EMPTY, tmp_path)
    late = sorted(name for name in extra if name.startswith(tuple(f"{room}." for room in LATE)) or name in LATE)
    assert late == []
    assert sorted(name for name in extra if not name.startswith("prune_mcp"))[MOST_EXTRA_MODULES:] == []
