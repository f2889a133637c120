"""Exit codes, one rule for every command: 0 done, also where nothing was found; 1 failed; 2 wrong usage."""

from __future__ import annotations

from pathlib import Path

import pytest

from prune_mcp.server.cli import COMMANDS
from tests.server.shell import Shell
from tests.server.transcripts import write_session

USAGE = [
    *((name, "--no-such-option") for name in COMMANDS if name != "search"),
    ("no-such-command",),
    ("--no-such-option",),
    ("tree", "one", "two"),
    ("tree", "--json", "--browse"),
    ("show",),
    ("show", "t1", "--lines", "much"),
    ("show", "t1", "--lines", "1:2", "--offset", "3"),
    ("show", "t1", "--offset", "-1"),
    ("stats", "--limit", "few"),
    ("search",),
    ("search", ""),
    ("search", "x", "--no-such-option"),
    ("search", "x", "--limit", "0"),
    ("search", "x", "--limit", "51"),
    ("search", "x", "--since", "soon"),
    ("search", "x", "--until", "99"),
    ("search", "x", "--role", "nobody"),
    ("search", "x", "--cursor", "next"),
    ("read",),
    ("read", "an entry"),
    ("read", "entry-without-session"),
    ("read", "e@s", "--offset", "-1"),
    ("read", "e@s", "--around", "51"),
    ("index", "everything"),
    ("import",),
    ("forget",),
    ("serve", "127.0.0.1:8000"),
    ("serve", "--http", "127.0.0.1:99999"),
    ("token", "no-such-verb"),
]
FAILED = [
    ("prune", "no-such-session"),
    ("collapse", "no-such-session"),
    ("tree", "no-such-session"),
    ("usage", "no-such-session"),
    ("record", "no-such-session"),
    ("stats", "no-such-session"),
    ("show", "t999"),
    ("show", "t1", "t999"),
    ("read", "no-such-entry@s-one"),
    ("read", "u-0@no-such-session"),
    ("import", "no-such-file.zip"),
    ("forget", "no-such-session", "--yes"),
    ("forget", "s-one"),
]
DONE = [
    ("--help",),
    ("--version",),
    *((name, "--help") for name in COMMANDS),
    ("prune",),
    ("prune", "--json"),
    ("tree",),
    ("show", "t1"),
    ("usage",),
    ("stats",),
    ("sessions",),
    ("search", "walrus"),
    ("search", "zebra"),
    ("search", "zebra", "--json"),
    ("search", "walrus", "--agent", "nobody"),
    ("search", "walrus", "--project", "nowhere", "--json"),
    ("read", "u0-2@s-one"),
    ("index", "--status"),
    ("check",),
    ("config",),
    ("gc", "--dry-run"),
    ("token", "list"),
]


@pytest.fixture(scope="module")
def shell(tmp_path_factory: pytest.TempPathFactory) -> Shell:
    """Commands in a folder of a session that was pruned."""
    home, folder = tmp_path_factory.mktemp("home"), tmp_path_factory.mktemp("project")
    write_session(home, "s-one", folder, outputs=["a walrus sings"] * 3, prompt="where is the walrus?", age=9000)
    shell = Shell(home, folder)
    shell.run("prune")
    return shell


@pytest.mark.parametrize("arguments", USAGE, ids=" ".join)
def test_wrong_usage_is_2_and_one_message(shell: Shell, arguments: tuple[str, ...]) -> None:
    done = shell.run(*arguments, code=2)
    assert done.stderr.startswith("prune-mcp: ")
    assert done.stdout == ""


@pytest.mark.parametrize("arguments", FAILED, ids=" ".join)
def test_what_is_not_there_is_1_and_said(shell: Shell, arguments: tuple[str, ...]) -> None:
    assert shell.run(*arguments, code=1).stderr != ""


@pytest.mark.parametrize("arguments", DONE, ids=" ".join)
def test_what_was_done_is_0_also_where_nothing_was_found(shell: Shell, arguments: tuple[str, ...]) -> None:
    shell.run(*arguments)


def test_no_sessions_at_all_are_no_failure(tmp_path: Path) -> None:
    assert "No sessions" in Shell(tmp_path, tmp_path).run("sessions").stderr
