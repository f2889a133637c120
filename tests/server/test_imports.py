"""What the start of each program imports: the tool list needs nothing of ours, the commands nothing of MCP."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.server.conftest import environment

pytestmark = pytest.mark.requirement("SRV-SMALL")

HEAVY = {"typer", "rich", "whoosh", "pydantic_settings", "sqlite3", "aiofiles", "orjson", "platformdirs"}
ROOMS = {"engine", "sessions", "storage", "pruning", "search"}
# Serves until the tool list is out, then tells what is loaded.
SERVING = """
import sys
from prune_mcp.server.app import make_server
from anyio import run
server = make_server()
run(server.list_tools)
print("\\n".join(sys.modules))
"""
COMMAND = """
import sys
from prune_mcp.server.cli import run
code = run(sys.argv[1:])
print("\\n".join(["=====", *sys.modules]))
"""


COLLECTING = """
import gc
import sys
from prune_mcp.server.__main__ import main
main()
print(gc.get_stats()[0]["collections"])
"""


def loaded(home: Path, program: str, *arguments: str) -> tuple[set[str], set[str]]:
    """The top-level modules loaded, and the rooms of prune_mcp."""
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments],
        env=environment(home),
        capture_output=True,
        text=True,
        check=True,
    )
    modules = done.stdout.split("=====\n")[-1].split()
    rooms = {name.split(".")[1] for name in modules if name.startswith("prune_mcp.")}
    return {name.split(".")[0] for name in modules}, rooms


def test_serving_the_tool_list_loads_the_sdk_and_the_server_alone(home: Path) -> None:
    modules, rooms = loaded(home, SERVING)
    assert modules & HEAVY == set()
    assert rooms & ROOMS == set()
    assert "mcp" in modules


@pytest.mark.parametrize(
    "arguments", [["--version"], ["--help"], ["tree", "--help"], ["sessions"], ["show", "t1"]]
)
def test_no_command_loads_the_sdk_or_the_search(home: Path, arguments: list[str]) -> None:
    modules, _ = loaded(home, COMMAND, *arguments)
    assert modules & {"mcp", "mcp_types", "starlette", "uvicorn", "whoosh", "pydantic_settings"} == set()


def test_a_command_seldom_looks_for_garbage(home: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", COLLECTING, "index"],
        env=environment(home),
        capture_output=True,
        text=True,
        check=True,
    )
    assert int(done.stdout.splitlines()[-1]) < 40


def test_the_version_and_the_help_open_no_store(home: Path) -> None:
    for arguments in (["--version"], ["--help"]):
        modules, _ = loaded(home, COMMAND, *arguments)
        assert "sqlite3" not in modules
    assert not (home / "prune-mcp").exists()


def test_serving_writes_nothing_before_the_first_call(home: Path) -> None:
    request = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    done = subprocess.run(
        [sys.executable, "-m", "prune_mcp.server"],
        env=environment(home),
        input=json.dumps(request) + "\n",
        capture_output=True,
        text=True,
        check=True,
    )
    assert json.loads(done.stdout)["id"] == 1
    assert not (home / "prune-mcp").exists()
