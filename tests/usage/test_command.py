"""`prune-mcp usage`: a map in a terminal, tables when piped, everything as JSON."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tests.server.shell import Shell
from tests.server.terminal import Terminal
from tests.usage.writing import SESSION

pytestmark = pytest.mark.requirement("USE-ROWS")
SCREENS = Path(__file__).parent / "screens"
STYLES = re.compile(r"\x1b\[[0-9;?]*[A-Za-z]")


@pytest.fixture
def shell(home: Path, folder: Path) -> Shell:
    """Commands in that folder, their output piped."""
    return Shell(home, folder)


def in_terminal(home: Path, folder: Path, **variables: str) -> str:
    """What the command writes to a terminal."""
    window = {"COLUMNS": "86", "LINES": "24", "TERM": "xterm-256color"} | variables
    return Terminal(home, folder, **window).run("usage", errors=False).replace("\r\n", "\n")


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


@pytest.mark.parametrize(
    ("locale", "letters"),
    [
        ({"LC_ALL": "C"}, True),
        ({"LANG": "C"}, True),
        ({"LC_ALL": "de_DE.ISO-8859-1"}, True),
        ({"LANG": "POSIX", "LC_CTYPE": "C.utf8"}, False),
        ({"LANG": "en_US.UTF-8"}, False),
        ({}, False),
    ],
)
def test_a_terminal_whose_locale_has_no_signs_gets_letters(
    home: Path, folder: Path, locale: dict[str, str], letters: bool
) -> None:
    written = in_terminal(home, folder, **{"LC_ALL": "", "LC_CTYPE": "", "LANG": "", "NO_COLOR": "1", **locale})
    kept = "86x24-letters.txt" if letters else "86x24.txt"
    assert [line.rstrip() for line in written.splitlines()] == (
        (SCREENS / kept).read_text(encoding="utf-8").splitlines()
    )
    assert written.isascii() is letters


def test_piped_it_is_tables_of_everything(shell: Shell) -> None:
    done = shell.run("usage", SESSION[:8])
    assert done.stderr == ""
    assert "■" not in done.stdout
    assert re.search(r"^tool results +Read +11,878 +\d+ % +5 +estimated$", done.stdout, re.MULTILINE)
    assert re.search(r"^tool results +\d+ more +\d+ +", done.stdout, re.MULTILINE)
    assert re.search(r"^t1 +results +Read +/project/src/uploads.py +3,576$", done.stdout, re.MULTILINE)
    assert "stale, since changed later: 2 reads of" in done.stdout


def test_as_json_it_is_the_whole_answer(shell: Shell) -> None:
    answer = shell.json("usage")
    assert answer["session"] == SESSION
    assert sum(row["tokens"] for row in answer["rows"]) == answer["total"]
    assert answer["total"] + answer["free"] == answer["window"]
    assert answer["counted"] == {"prompt": 35_500, "cached": 33_000, "output": 420, "since": 12, "above": 0}


def test_a_file_of_messages_is_weighed_too(shell: Shell, folder: Path) -> None:
    (folder / "body.json").write_text(
        json.dumps({"model": "gpt-5", "input": "Hello.", "instructions": "Be kind."})
    )
    answer = shell.json("usage", "body.json")
    assert {row["category"]: row["tokens"] for row in answer["rows"]} == {"user": 2, "system": 3}
    (folder / "none.json").write_text("[1, 2]")
    assert "as Anthropic Messages" in shell.run("usage", "none.json", code=1).stderr


def test_settings_of_the_person_count(shell: Shell) -> None:
    told = shell.run("usage", "--json", PRUNE_MCP_USAGE__MODEL_WINDOWS="claude-opus-4-5=150_000")
    answer = json.loads(told.stdout)
    assert (answer["window"], answer["window_source"]) == (150_000, "settings")
