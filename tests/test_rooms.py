"""What each room may import, as docs/architecture.md draws it."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
# A room's name allows all of it; a module's name that module alone.
MAY_IMPORT = {
    "sessions": set(),
    "storage": set(),
    "pruning": {"sessions", "storage.records"},
    "search": {"sessions", "storage"},
    "engine": {"sessions", "storage", "pruning", "search"},
    "server": {"engine", "sessions", "storage.errors", "storage.home", "storage.ways_out"},
}


def imported(path: Path) -> set[str]:
    """The modules of ours that a file imports, as `room.module`, at any depth and for types too."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.startswith("prune_mcp."):
            module = node.module.removeprefix("prune_mcp.")
            found.update([module] if "." in module else [f"{module}.{alias.name}" for alias in node.names])
        elif isinstance(node, ast.Import):
            found.update(a.name.removeprefix("prune_mcp.") for a in node.names if a.name.startswith("prune_mcp."))
    return found


@pytest.mark.parametrize("room", MAY_IMPORT)
def test_a_room_imports_only_what_the_architecture_allows(room: str) -> None:
    allowed = MAY_IMPORT[room] | {room}
    wrong = [
        f"{path.name} imports {module}"
        for path in sorted((ROOT / room).rglob("*.py"))
        for module in sorted(imported(path))
        if module.partition(".")[0] not in allowed and module not in allowed
    ]
    assert wrong == []


@pytest.mark.parametrize("room", sorted(MAY_IMPORT.keys() - {"server"}))
def test_rooms_below_the_server_know_nothing_of_mcp(room: str) -> None:
    for path in (ROOT / room).rglob("*.py"):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        names = [a.name for node in ast.walk(tree) if isinstance(node, ast.Import) for a in node.names]
        names += [node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)]
        assert not [name for name in names if name.partition(".")[0] in ("mcp", "mcp_types")], path.name
