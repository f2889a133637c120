"""`prune-mcp tree --browse` as a process: in a terminal, without one, and without the extra."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.server.conftest import environment
from tests.server.transcripts import write_session

pytestmark = pytest.mark.requirement("REC-TREE")

SESSION = "abcd-1234"
PROGRAM = (sys.executable, "-m", "prune_mcp.server")
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


def in_terminal(home: Path, folder: Path, program: Sequence[str], awaited: str = "") -> tuple[int, str]:
    """The exit code of `tree --browse` in a terminal and what it wrote; q is pressed once `awaited` is shown."""
    pty = pytest.importorskip("pty", reason="this system has no pseudo-terminals")
    main, child = pty.openpty()
    process = subprocess.Popen(
        [*program, "tree", SESSION, "--browse"],
        cwd=folder,
        env=environment(home) | {"COLUMNS": "100", "LINES": "30", "TERM": "xterm-256color"},
        stdin=child,
        stdout=child,
        stderr=child,
    )
    os.close(child)
    written = b""
    while piece := _read(main):
        written += piece
        if awaited and awaited.encode() in written:
            os.write(main, b"q")
            awaited = ""
    os.close(main)
    return process.wait(60), written.decode(errors="replace")


def _read(terminal: int) -> bytes:
    """What comes next; nothing once the process has ended."""
    try:
        return os.read(terminal, 65536)
    except OSError:
        return b""


def test_in_a_terminal_the_tree_is_drawn_and_q_ends_it(home: Path, folder: Path) -> None:
    pytest.importorskip("textual", reason="the browser takes the extra prune-mcp[browse]")
    code, written = in_terminal(home, folder, PROGRAM, awaited='Bash "run 0"')
    assert code == 0
    assert "Traceback" not in written


def test_without_the_extra_one_sentence_tells_how_to_get_it(home: Path, folder: Path) -> None:
    code, written = in_terminal(home, folder, WITHOUT)
    assert code == 1
    assert written.strip() == "prune-mcp: --browse takes `pip install 'prune-mcp[browse]'`."


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
