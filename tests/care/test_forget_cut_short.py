"""A forgetting that is killed on its way is known to be unfinished, and what comes next brings it to its end."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from prune_mcp.engine.due.flush_state import FlushStates
from prune_mcp.search.segments.segment import Segment
from tests.care.conftest import Shell, exact
from tests.care.test_gc import noise
from tests.server.test_history_cli import CONVERSATION

pytestmark = pytest.mark.requirement("SRV-STORE", "HIS-GONE")

MINE, OTHER = "aa11-mine", "bb22-other"
SECRET = "walrusfish" + noise(99, 60)
FORGETTING = "prune_mcp.search.indexing.forget"
# Where it dies: nothing is taken away yet, files of the history are left, only the history is done, in the store.
MOMENTS = (
    f"{FORGETTING}:rewrite",
    f"{FORGETTING}:remove_old",
    f"{FORGETTING}:CatalogWriter.wipe",
    "prune_mcp.engine.due.flush_state:FlushStates.forget",
    "prune_mcp.storage.sweep:Sweep.mark",
    "prune_mcp.storage.sweep:Sweep.remove",
    "prune_mcp.storage.care:SQLiteCare.tidy",
)


@pytest.fixture
def gone(shell: Shell) -> Shell:
    """A session that is pruned and indexed and whose transcript is gone, and another one."""
    path = shell.session(MINE, *(f"{SECRET} {n}\n{noise(n, 90_000)}" for n in range(5)), title=f"about {SECRET}")
    shell.session(OTHER, noise(50, 90_000), noise(51, 3_000))
    shell.run("prune", MINE)
    shell.run("prune", MINE, "--when-due")
    shell.run("prune", OTHER)
    shell.run("index")
    path.unlink()
    shell.run("index")
    return shell


def left(shell: Shell) -> list[str]:
    """Where anything of the session is left."""
    files = [path for path in (shell.home / "prune-mcp").rglob("*") if path.is_file()]
    found = [str(path) for path in files if SECRET.encode() in path.read_bytes()]
    found += [str(path) for path in files if path.suffix == ".seg" and Segment(path).frequency(SECRET)]
    return found + [str(path) for path in files if path == FlushStates(shell.place).path(MINE)]


def kill(shell: Shell, moment: str, *command: str) -> None:
    """Run a command that kills itself there."""
    program = [sys.executable, "-m", "tests.care.killed_forgetting", moment, *command]
    root = Path(__file__).parents[2]
    done = subprocess.run(program, cwd=root, env=shell.env, capture_output=True, stdin=subprocess.DEVNULL)
    assert done.returncode not in (0, 1), done.stderr


@pytest.mark.parametrize("moment", MOMENTS)
@pytest.mark.parametrize("next", ["gc", "forget"])
def test_it_is_told_and_brought_to_its_end_also_where_nothing_else_knows_the_session_any_more(
    gone: Shell, moment: str, next: str
) -> None:
    other = exact(gone, OTHER, "t1-t2")
    assert left(gone) != []
    kill(gone, moment, "forget", MINE, "--yes")
    assert left(gone) != []
    assert "A forgetting was cut short" in gone.run("check").stderr
    gone.run(*(["gc"] if next == "gc" else ["forget", "no such session", "--yes"]))
    assert left(gone) == []
    assert "cut short" not in gone.run("check").stderr
    assert [each["session"] for each in gone.json("stats")["sessions"]] == [OTHER]
    assert exact(gone, OTHER, "t1-t2") == other
    assert [path for path in gone.place.data.iterdir() if "forgetting" in path.name] == []


def test_what_is_imported_anew_meanwhile_stays(shell: Shell, tmp_path: Path) -> None:
    said = [{"uuid": "m-1", "sender": "human", "text": f"feed {SECRET}", "content": []}]
    export = tmp_path / "conversations.json"
    export.write_text(json.dumps([{"uuid": CONVERSATION, "name": "Zoo", "chat_messages": said}]))
    shell.run("import", str(export))
    shell.run("index")
    kill(shell, f"{FORGETTING}:remove_old", "forget", CONVERSATION, "--yes")
    shell.run("import", str(export))
    shell.run("gc")
    assert len(shell.json("search", "feed")["hits"]) == 1


def test_what_is_let_come_back_meanwhile_is_not_forgotten_again(shell: Shell) -> None:
    shell.session(MINE, f"{SECRET} 1")
    shell.run("index")
    kill(shell, f"{FORGETTING}:remove_old", "forget", MINE, "--yes")
    shell.run("forget", MINE, "--undo")
    shell.run("gc")
    shell.run("index")
    assert shell.json("search", SECRET)["hits"] != []
