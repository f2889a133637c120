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


def test_what_could_not_be_imported_is_told_also_in_json(shell: Shell, tmp_path: Path) -> None:
    folder = tmp_path / "later"
    write(folder / "conversations.json", [thread(3), {"title": "Nothing", "mapping": None}])
    write(folder / "package.json", {"name": "harbor"})
    told = shell.run("import", str(folder), code=1)
    assert told.stdout == "1 conversation added, 0 updated, 0 unchanged\n"
    assert "not kept: conversations.json, conversation 2: its `mapping` is null" in told.stderr
    assert "passed over: 1 file without a conversation, which --json names" in told.stderr
    report = shell.json("import", str(folder), code=1)
    assert (report["unchanged"], len(report["bad"]), report["passed_over"][0]["where"]) == (1, 1, "package.json")
