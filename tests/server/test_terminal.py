"""What a person sees in a terminal: tables, a bar while work goes on, and no text that drives the terminal."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.server.conftest import environment
from tests.server.terminal import Terminal
from tests.server.transcripts import write_session

END_OF_INPUT = b"\x04"
ESCAPES = "\x1b]0;owned\x07\x1b[2J"
LONG = ESCAPES + "".join(f"line {number}: nothing of interest\n" for number in range(300))


def in_terminal(home: Path, folder: Path, *arguments: str, columns: int = 160) -> str:
    """What a command writes to a terminal of so many columns that is its stdout and stderr."""
    terminal = Terminal(home, folder, COLUMNS=str(columns), TERM="xterm")
    return terminal.run(*arguments, pressed=END_OF_INPUT)


def lines(written: str) -> list[str]:
    """What a terminal shows, without its colors."""
    return [line.rstrip() for line in re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", written).splitlines()]


@pytest.fixture
def folder(home: Path, tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    write_session(home, "abcd-1234", folder, outputs=[f"{number}\n{LONG}" for number in range(6)])
    return folder


def test_a_prune_draws_a_table_and_a_bar(home: Path, folder: Path) -> None:
    written = in_terminal(home, folder, "prune")
    assert "advisory (no-lever)" in written
    assert "replaced by a stub" in written
    assert "\x1b[?25l" in written


def test_recorded_text_cannot_drive_the_terminal(home: Path, folder: Path) -> None:
    in_terminal(home, folder, "prune")
    written = in_terminal(home, folder, "show", "t1", "--lines", "1:3")
    assert "\x1b]0;owned" not in written
    assert "\u241b]0;owned\u2407" in written
    assert "line 0: nothing of interest" in written


def test_the_tree_and_the_sessions_are_tables(home: Path, folder: Path) -> None:
    in_terminal(home, folder, "prune")
    assert "tokens saved" in in_terminal(home, folder, "tree")
    assert "abcd-123 " in in_terminal(home, folder, "sessions")


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_each_session_and_each_row_of_the_tree_is_one_line_that_fits(
    home: Path, folder: Path, columns: int
) -> None:
    first, second = (f"0b5e55ed-{number}111-4111-8111-111111111111" for number in (1, 2))
    write_session(home, first, folder / ("deep/" * 30), outputs=["x" * 9000])
    write_session(home, second, folder, outputs=["x"], prompt="Please " * 40, age=3 * 86_400)
    in_terminal(home, folder, "prune", "abcd", columns=columns)
    _, *listed = lines(in_terminal(home, folder, "sessions", columns=columns))
    names = [line.split()[0] for line in listed]
    assert sorted(names) == ["0b5e55ed-1", "0b5e55ed-2", "abcd-123"]
    (old,) = (line for line in listed if "Please" in line)
    assert re.search(r" 3 d +\d+ k?B +- +- ", old)
    tree = lines(in_terminal(home, folder, "tree", "abcd-123", columns=columns))
    rows = [line for line in tree if re.match(r" +t\d", line)]
    refs = [row.split()[0] for row in rows]
    assert set(refs) >= {"t1", "t2"}
    assert len(refs) == len(set(refs))
    assert max(map(len, [*listed, *rows])) <= columns


def test_the_ids_that_the_list_shows_name_their_sessions(home: Path, folder: Path) -> None:
    first, second = (f"0b5e55ed-{number}111-4111-8111-111111111111" for number in (1, 2))
    below = write_session(home, first, folder, outputs=[LONG])
    agent = below.with_suffix("") / "subagents" / "agent-a1b2c3d4e5f.jsonl"
    agent.parent.mkdir(parents=True)
    below.rename(agent)
    write_session(home, first, folder, outputs=[LONG] * 5)
    write_session(home, second, folder, outputs=["x"])
    for name, whole in [("0b5e55ed-1", first), ("0b5e55ed/agent-a1", f"{first}/agent-a1b2c3d4e5f")]:
        assert f"{name} " in in_terminal(home, folder, "sessions", columns=80)
        assert f"session {whole}" in in_terminal(home, folder, "prune", name)
        assert f"session {whole}" in in_terminal(home, folder, "tree", name)
        assert "line 7:" in in_terminal(home, folder, "show", "t1", "--session", name)


@pytest.mark.parametrize("columns", [60, 80])
def test_what_a_prune_decided_keeps_its_words_whole(home: Path, folder: Path, columns: int) -> None:
    written = in_terminal(home, folder, "prune", columns=columns)
    words = {word for line in lines(written) for word in line.split()}
    assert {"replaced", "tokens", "newest", "(outputs"} <= words


def test_the_server_tells_a_person_that_it_serves(home: Path, folder: Path) -> None:
    assert "`prune-mcp --help` lists its commands" in in_terminal(home, folder)


def test_the_server_says_nothing_where_no_person_watches(home: Path, folder: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "prune_mcp.server"],
        cwd=folder,
        env=environment(home),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=True,
        text=True,
    )
    assert (done.stdout, done.stderr) == ("", "")


@pytest.mark.parametrize("columns", [1, 20])
def test_in_a_very_narrow_terminal_nothing_vanishes(home: Path, folder: Path, columns: int) -> None:
    in_terminal(home, folder, "prune")
    listed = " ".join(lines(in_terminal(home, folder, "sessions", columns=columns)))
    assert "abcd-123" in listed
    assert "outputs" in listed
    assert "tool results" in "\n".join(lines(in_terminal(home, folder, "usage", columns=columns)))


def test_a_terminal_that_says_it_has_no_columns_gets_help(home: Path, folder: Path) -> None:
    assert "--limit" in "\n".join(lines(in_terminal(home, folder, "search", "--help", columns=0)))


def test_a_dumb_terminal_is_sent_nothing_but_text(home: Path, folder: Path) -> None:
    terminal = Terminal(home, folder, TERM="dumb")
    written = terminal.run("search", "interest")
    assert "«interest»" in written
    assert "\x1b" not in written
