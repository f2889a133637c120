"""What cannot be read is never passed over in silence: each answer of a search says that it was not searched."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
import zstandard

from tests.server.shell import Shell
from tests.server.transcripts import write_session
from tests.sessions.codex.writing import SESSION, Rollout, rollout_path

pytestmark = pytest.mark.requirement("HIS-FRESH", "SES-DAMAGE")


@pytest.fixture
def shell(home: Path, tmp_path: Path) -> Shell:
    """Commands beside a session that can be read."""
    write_session(home, "s-one", tmp_path, outputs=["a walrus sings"], age=9000)
    return Shell(home, tmp_path)


def notes(shell: Shell, *arguments: str) -> Any:
    """What the answer to a search says beside its hits."""
    return shell.json("search", "walrus", *arguments)["notes"]


def packed(home: Path) -> Path:
    """A rollout that was compressed."""
    rollout = Rollout(rollout_path(home / ".codex"), SESSION)
    rollout.prompt("where is the walrus?")
    path = rollout.path.with_suffix(".jsonl.zst")
    path.write_bytes(zstandard.compress(rollout.path.read_bytes()))
    rollout.path.unlink()
    return path


def test_a_file_that_the_indexing_could_not_read_is_told_until_it_can_be(shell: Shell) -> None:
    path = packed(shell.home)
    whole = path.read_bytes()
    path.write_bytes(b"no archive")
    shell.run("index")
    for _ in range(2):
        assert [note for note in notes(shell) if "1 session file could not be read" in note] != []
    assert str(path) in shell.run("index", "--status").stdout
    assert notes(shell, "--session", "s-one") == []
    assert notes(shell, "--session", SESSION) != []
    path.write_bytes(whole)
    assert [note for note in notes(shell) if "could not be read" in note] == []
    shell.run("index")
    assert notes(shell) == []


def test_a_database_and_a_folder_that_cannot_be_looked_into_are_told(shell: Shell) -> None:
    database = shell.home / ".local" / "share" / "opencode" / "opencode.db"
    database.parent.mkdir(parents=True)
    database.write_bytes(b"no database" * 1000)
    (shell.home / ".gemini").mkdir()
    (shell.home / ".gemini" / "tmp").write_text("no folder")
    shell.run("index")
    assert notes(shell) == ["Where sessions are kept, 1 folder, 1 database could not be looked into."]
    database.unlink()
    (shell.home / ".gemini" / "tmp").unlink()
    assert notes(shell) == []
