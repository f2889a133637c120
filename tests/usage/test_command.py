"""`prune-mcp usage`: a map in a terminal, tables when piped, everything as JSON."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from tests.server.conftest import environment
from tests.server.transcripts import write_session
from tests.usage.showcase import showcase
from tests.usage.writing import SESSION

pty = pytest.importorskip("pty", reason="this system has no pseudo-terminals")
pytestmark = pytest.mark.requirement("USE-ROWS")
SCREENS = Path(__file__).parent / "screens"
STYLES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


@pytest.fixture
def folder(home: Path, tmp_path: Path) -> Path:
    """A project folder with the showcase for its session."""
    folder = tmp_path / "project"
    folder.mkdir()
    write_session(home, SESSION, folder)
    (path,) = home.rglob(f"{SESSION}.jsonl")
    showcase().write(path.parent)
    return folder


def run(home: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """The command with its output piped."""
    command = [sys.executable, "-m", "prune_mcp.server", "usage", *arguments]
    return subprocess.run(command, cwd=folder, env=environment(home), capture_output=True, text=True, check=False)


def in_terminal(home: Path, folder: Path, **variables: str) -> str:
    """What the command writes to a terminal."""
    main, child = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "prune_mcp.server", "usage"],
        cwd=folder,
        env=environment(home) | {"COLUMNS": "86", "LINES": "24", "TERM": "xterm-256color"} | variables,
        stdin=child,
        stdout=child,
        stderr=subprocess.DEVNULL,
    )
    os.close(child)
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
    assert process.wait(60) == 0
    return written.decode().replace("\r\n", "\n")


@pytest.mark.parametrize(("columns", "rows"), [("60", "10"), ("86", "24"), ("120", "50")])
def test_a_terminal_gets_the_map_in_colours_fitted_to_its_window(
    home: Path, folder: Path, columns: str, rows: str
) -> None:
    written = in_terminal(home, folder, COLUMNS=columns, LINES=rows)
    assert "\x1b[" in written
    shown = [line.rstrip() for line in STYLES.sub("", written).splitlines()]
    assert shown == (SCREENS / f"{columns}x{rows}.txt").read_text(encoding="utf-8").splitlines()


def test_no_color_takes_the_colours_and_leaves_the_signs(home: Path, folder: Path) -> None:
    written = in_terminal(home, folder, NO_COLOR="1")
    assert not STYLES.search(written)
    assert [line.rstrip() for line in written.splitlines()] == (
        (SCREENS / "86x24.txt").read_text(encoding="utf-8").splitlines()
    )


def test_a_dumb_terminal_gets_letters(home: Path, folder: Path) -> None:
    written = in_terminal(home, folder, TERM="dumb")
    assert not STYLES.search(written)
    assert [line.rstrip() for line in written.splitlines()] == (
        (SCREENS / "86x24-letters.txt").read_text(encoding="utf-8").splitlines()
    )


def test_piped_it_is_tables_of_everything(home: Path, folder: Path) -> None:
    done = run(home, folder, SESSION[:8])
    assert (done.returncode, done.stderr) == (0, "")
    assert "■" not in done.stdout
    assert re.search(r"^tool results +Read +9,503 +\d+ % +5 +estimated$", done.stdout, re.MULTILINE)
    assert re.search(r"^tool results +\d+ more +\d+ +", done.stdout, re.MULTILINE)
    assert re.search(r"^t1 +results +Read +/project/src/uploads.py +2,861$", done.stdout, re.MULTILINE)
    assert "stale (read, then changed): 2" in done.stdout


def test_as_json_it_is_the_whole_answer(home: Path, folder: Path) -> None:
    answer = json.loads(run(home, folder, "--json").stdout)
    assert answer["session"] == SESSION
    assert sum(row["tokens"] for row in answer["rows"]) == answer["total"]
    assert answer["total"] + answer["free"] == answer["window"]
    assert answer["counted"] == {"prompt": 35_500, "cached": 33_000, "output": 420, "since": 10, "above": 0}


def test_a_file_of_messages_is_weighed_too(home: Path, folder: Path) -> None:
    (folder / "body.json").write_text(
        json.dumps({"model": "gpt-5", "input": "Hello.", "instructions": "Be kind."})
    )
    answer = json.loads(run(home, folder, "body.json", "--json").stdout)
    assert {row["category"]: row["tokens"] for row in answer["rows"]} == {"user": 2, "system": 2}
    (folder / "none.json").write_text("[1, 2]")
    done = run(home, folder, "none.json")
    assert done.returncode == 1
    assert "as Anthropic Messages" in done.stderr


def test_settings_of_the_person_count(home: Path, folder: Path) -> None:
    command = [sys.executable, "-m", "prune_mcp.server", "usage", "--json"]
    env = environment(home) | {"PRUNE_MCP_USAGE__MODEL_WINDOWS": "claude-opus-4-5=150_000"}
    done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, check=True)
    answer = json.loads(done.stdout)
    assert (answer["window"], answer["window_source"]) == (150_000, "settings")
