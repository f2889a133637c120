"""What was imported is a session like any other for a client of the server: its id names it in every tool."""

from __future__ import annotations

from pathlib import Path

import pytest
from mcp import Client, StdioServerParameters
from mcp.types import CallToolResult

from tests.server.conftest import text_of
from tests.server.shell import Shell
from tests.sessions.exports.build import chat, said, thread, uuid, write
from tests.sessions.trajectories.build import acts, observed, run, save

pytestmark = pytest.mark.requirement("SES-EXPORTS", "SES-TRAJ", "SES-WHICH")

TOOLS = ("prune_context", "context_usage", "collapse_turns", "context_tree_query")


@pytest.fixture
def shell(home: Path, tmp_path: Path) -> Shell:
    """Commands beside a conversation of each of claude.ai and ChatGPT and a trajectory, all imported."""
    folder = tmp_path / "given"
    write(folder / "conversations.json", [chat(1, said("human", "Where is it?"), said("assistant", "There."))])
    write(folder / "more" / "conversations.json", [thread(2)])
    save(folder, run(acts("ls"), observed("a walrus\n" * 400), acts("echo done"), observed("done")))
    shell = Shell(home, tmp_path)
    shell.run("import", str(folder))
    return shell


async def test_every_tool_takes_the_id_of_what_was_imported(shell: Shell, command: StdioServerParameters) -> None:
    ids = [row["id"] for row in shell.json("sessions")]
    assert {uuid(1), uuid(2)} < set(ids)
    assert len(ids) == 3
    async with Client(command) as client:
        for id in ids:
            for tool in TOOLS:
                result = await client.call_tool(tool, {"session": id[:8]})
                assert isinstance(result, CallToolResult)
                told = text_of(result)
                # In a conversation of one question and one answer there is nothing to collapse.
                assert not result.is_error or "nothing" in told.lower(), (tool, id, told)
