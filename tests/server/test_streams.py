"""Standard streams that are closed, full, or read by nobody: one message, a code of ours, no file harmed."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from prune_mcp.server import cli
from tests.server.conftest import environment
from tests.server.transcripts import write_session

pytestmark = [
    pytest.mark.requirement("SRV-STRICT"),
    pytest.mark.skipif(sys.platform != "linux", reason="streams are given as a shell of Linux gives them"),
]
PING = """echo '{"jsonrpc":"2.0","id":1,"method":"ping"}'"""
COMMANDS = ("sessions", "search walrus", "index", "--help", "check")


@pytest.fixture
def home(tmp_path: Path) -> Path:
    write_session(
        tmp_path, "s-one", tmp_path, outputs=["a walrus sings"] * 3, prompt="where is the walrus?", age=9000
    )
    return tmp_path


def shell(home: Path, line: str) -> subprocess.CompletedProcess[str]:
    """What a shell says of a line in which P is the program."""
    program = f"P() {{ '{sys.executable}' -m prune_mcp.server \"$@\"; }}; "
    done = subprocess.run(
        ["bash", "-c", program + line], env=environment(home), capture_output=True, encoding="utf-8", timeout=60
    )
    for sign in ("Traceback", "Exception", "nobody foresaw"):
        assert sign not in done.stderr
    return done


@pytest.mark.parametrize("command", COMMANDS)
@pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-"])
def test_a_command_with_closed_streams_is_done(home: Path, command: str, closed: str) -> None:
    assert shell(home, f"P {command} {closed}").returncode == 0


@pytest.mark.parametrize("command", COMMANDS)
def test_output_that_finds_no_room_is_one_message(home: Path, command: str) -> None:
    done = shell(home, f"P {command} > /dev/full")
    assert done.returncode == 1
    assert "prune-mcp: The output cannot be written (No space left on device). Free disk space" in done.stderr


@pytest.mark.parametrize(("command", "code"), [("search zebra", 0), ("no-such-command", 2), ("read e@s-one", 1)])
def test_messages_that_nobody_can_be_told_change_no_code(home: Path, command: str, code: int) -> None:
    assert shell(home, f"P {command} 2> /dev/full").returncode == code


@pytest.mark.parametrize("streams", ["<&-", "<&- >&-", "< /dev/null > /dev/full"])
def test_a_server_that_nobody_calls_ends(home: Path, streams: str) -> None:
    assert shell(home, f"P {streams}").returncode == 0


def test_a_server_whose_client_went_away_ends_as_programs_in_pipes_do(home: Path) -> None:
    assert shell(home, f"{PING} | P | head -c 0; exit ${{PIPESTATUS[1]}}").returncode == 141


def test_a_server_that_cannot_answer_says_why(home: Path) -> None:
    done = shell(home, f"{PING} | P > /dev/full")
    assert done.returncode == 1
    assert done.stderr.startswith("prune-mcp: The answer cannot be written (No space left on device).")


def test_a_command_that_is_stopped_while_its_modules_load_is_told_as_stopped(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    class Stops:
        def __set_name__(self, owner: type, name: str) -> None:
            raise KeyboardInterrupt

    def load(_: str) -> None:
        type("Loading", (), {"field": Stops()})

    monkeypatch.setattr(cli, "make_app", load)
    try:
        code = cli.run(["sessions"])
    except KeyboardInterrupt:
        code = 130  # from Python 3.12 on it comes as it is
    assert (code, capsys.readouterr().err) == (130, "")
