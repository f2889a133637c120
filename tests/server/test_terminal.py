"""What a person sees in a terminal: tables, a bar while work goes on, and no text that drives the terminal."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.server.conftest import environment
from tests.server.transcripts import write_session

pty = pytest.importorskip("pty", reason="this system has no pseudo-terminals")

END_OF_INPUT = b"\x04"
ESCAPES = "\x1b]0;owned\x07\x1b[2J"
LONG = ESCAPES + "".join(f"line {number}: nothing of interest\n" for number in range(300))


def in_terminal(home: Path, folder: Path, *arguments: str) -> str:
    """What a command writes to a terminal of 160 columns that is its stdout and stderr."""
    main, child = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "prune_mcp.server", *arguments],
        cwd=folder,
        env=environment(home) | {"COLUMNS": "160", "TERM": "xterm"},
        stdin=child,
        stdout=child,
        stderr=child,
    )
    os.close(child)
    os.write(main, END_OF_INPUT)
    written = b""
    while True:
        try:
            piece = os.read(main, 65536)
        except OSError:
            break
        if not piece:
            break
        written += piece
    os.close(main)
    assert process.wait(30) == 0, written.decode(errors="replace")
    return written.decode()


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
    assert "abcd-1234" in in_terminal(home, folder, "sessions")


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
