"""`prune-mcp tree --browse` as a process: in a terminal, without one, and without the extra."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.server.conftest import environment
from tests.server.terminal import PROGRAM, Terminal
from tests.server.transcripts import write_session

pytestmark = pytest.mark.requirement("REC-TREE")

SESSION = "abcd-1234"
# The command where textual is not installed.
WITHOUT = (
    sys.executable,
    "-c",
    "import sys; sys.modules['textual'] = None\nfrom prune_mcp.server.__main__ import main; sys.exit(main())",
)


@pytest.fixture
def folder(home: Path, tmp_path: Path) -> Path:
    folder = tmp_path / "project"
    folder.mkdir()
    write_session(home, SESSION, folder, outputs=[f"{number}\n" * 3000 for number in range(6)])
    subprocess.run(
        [*PROGRAM, "prune", SESSION], cwd=folder, env=environment(home), check=True, capture_output=True
    )
    return folder


@pytest.fixture
def terminal(home: Path, folder: Path) -> Terminal:
    return Terminal(home, folder, COLUMNS="100", LINES="30", TERM="xterm-256color")


def test_in_a_terminal_the_tree_is_drawn_and_q_ends_it(terminal: Terminal) -> None:
    pytest.importorskip("textual", reason="the browser takes the extra prune-mcp[browse]")
    written = terminal.run("tree", SESSION, "--browse", pressed=b"q", awaited='Bash "run 0"')
    assert "Traceback" not in written


def test_without_the_extra_one_sentence_tells_how_to_get_it(terminal: Terminal) -> None:
    written = terminal.run("tree", SESSION, "--browse", program=WITHOUT, code=1)
    assert written.strip() == "prune-mcp: --browse takes `pip install 'prune-mcp[browse]'`."


def test_a_dumb_terminal_is_not_drawn_on(home: Path, folder: Path) -> None:
    written = Terminal(home, folder, COLUMNS="100", LINES="30", TERM="dumb").run(
        "tree", SESSION, "--browse", code=1
    )
    assert "TERM" in written
    assert "\x1b" not in written


def browse_piped(home: Path, folder: Path, *more: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [*PROGRAM, "tree", SESSION, "--browse", *more],
        cwd=folder,
        env=environment(home),
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


def test_without_a_terminal_one_sentence_tells_what_to_do(home: Path, folder: Path) -> None:
    done = browse_piped(home, folder)
    assert (done.returncode, done.stdout) == (1, "")
    assert done.stderr == "prune-mcp: --browse takes a terminal; without one leave it out, or ask for --json.\n"


def test_it_does_not_go_with_json(home: Path, folder: Path) -> None:
    done = browse_piped(home, folder, "--json")
    assert done.returncode == 2
    assert "--browse and --json go one at a time" in done.stderr


def test_no_tree_without_it_loads_textual(home: Path, folder: Path) -> None:
    program = (
        "import sys; from prune_mcp.server.cli import run; run(sys.argv[1:]); print('textual' in sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, "tree", SESSION],
        env=environment(home),
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.splitlines()[-1] == "False"
