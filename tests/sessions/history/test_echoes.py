"""What our own search and recovery bring back is marked: it was said elsewhere before."""

from __future__ import annotations

import pytest

from tests.sessions.history.told import passages
from tests.sessions.transcripts.writing import ClaudeFile, PiFile, tool_use

pytestmark = pytest.mark.requirement("HIS-RANK")


@pytest.mark.parametrize(
    ("tool", "command", "echo"),
    [
        ("mcp__prune-mcp__history_search", "", True),
        ("history_read", "", True),
        ("prune-mcp__context_tree_query", "", True),
        ("mcp_prune_context", "", True),
        ("collapse_turns", "", True),
        ("context_usage", "", True),
        ("Bash", "prune-mcp search 'the crane' --all", True),
        ("Bash", "cd /tmp && uvx prune-mcp --verbose read 3a9d0c12@fe5e1c67", True),
        ("shell", "/home/user/.local/bin/prune-mcp show t5", True),
        ("exec_command", "prune-mcp tree", True),
        ("Bash", "prune-mcp index --status", False),
        ("Bash", "grep -rn search prune-mcp/", False),
        ("Write", "prune-mcp search is how to search", False),
        ("WebSearch", "history search", False),
    ],
)
def test_calls_that_ask_us_and_their_results_are_echoes(
    claude: ClaudeFile, tool: str, command: str, echo: bool
) -> None:
    claude.prompt("where did we fix the crane?")
    claude.says("Let me look.", tool_use("t1", tool, command=command, query="crane"))
    claude.result("t1", "found: the crane was fixed")
    claude.says("It was fixed.")

    assert [passage.echo for passage in passages(claude.path)] == [False, False, echo, echo, False]


def test_our_command_line_run_by_the_person_is_an_echo(pi: PiFile) -> None:
    for command in ("prune-mcp read x", "ls"):
        pi.entry("message", message={"role": "bashExecution", "command": command, "output": "o", "exitCode": 0})

    assert [passage.echo for passage in passages(pi.path)] == [True, True, False, False]
