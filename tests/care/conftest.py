"""The command line on sessions that a test writes, in a home of its own."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from contextlib import redirect_stderr, redirect_stdout
from dataclasses import dataclass
from io import StringIO
from pathlib import Path
from typing import Any

import pytest

from prune_mcp.engine.recovery.recover import recover
from prune_mcp.server import cli
from prune_mcp.storage.home import Home
from prune_mcp.storage.sqlite import open_store
from tests.server.conftest import environment
from tests.sessions.transcripts.writing import ClaudeFile

LOG = "".join(f"line {number}: nothing of interest\n" for number in range(300))


@dataclass
class Said:
    """What a command said."""

    stdout: str
    stderr: str


class Shell:
    """Runs prune-mcp in a folder of its own, in a home of its own."""

    def __init__(self, home: Path, folder: Path) -> None:
        self.home, self.folder = home, folder
        self.place = Home(home / "prune-mcp/data", home / "prune-mcp/cache", home / "prune-mcp/config")

    @property
    def env(self) -> dict[str, str]:
        """The environment of the commands."""
        return environment(self.home)

    def run(self, *arguments: str, code: int = 0, **variables: str) -> Said:
        """One command, in this process; its exit code must be `code`."""
        said, complained = StringIO(), StringIO()
        with pytest.MonkeyPatch.context() as patch, redirect_stdout(said), redirect_stderr(complained):
            for name in os.environ:
                patch.delenv(name)
            for name, value in (self.env | variables).items():
                patch.setenv(name, value)
            patch.chdir(self.folder)
            patch.setattr(sys, "stdin", StringIO())
            ended = cli.run(list(arguments))
        told = Said(said.getvalue(), complained.getvalue())
        assert ended == code, told
        return told

    def spawn(self, *arguments: str, code: int = 0) -> Said:
        """The same in a process of its own."""
        done = subprocess.run(
            [sys.executable, "-m", "prune_mcp.server", *arguments],
            cwd=self.folder,
            env=self.env,
            capture_output=True,
            encoding="utf-8",
            stdin=subprocess.DEVNULL,
        )
        assert done.returncode == code, (done.stdout, done.stderr)
        assert "Traceback" not in done.stderr
        return Said(done.stdout, done.stderr)

    def json(self, *arguments: str, code: int = 0, **variables: str) -> Any:
        """What one command says with --json."""
        return json.loads(self.run(*arguments, "--json", code=code, **variables).stdout)

    def session(self, name: str, *outputs: str, title: str = "") -> Path:
        """Write a session of this folder with an exchange for each output, under call ids of its own."""
        project = str(self.folder).replace("/", "-").replace("_", "-")
        path = self.home / ".claude" / "projects" / project / f"{name}.jsonl"
        path.unlink(missing_ok=True)
        file = ClaudeFile(path, name)
        for number, output in enumerate(outputs):
            file.prompt(title or f"question {number}", cwd=str(self.folder))
            file.turn(f"toolu_{name}_{number}", f"{output}\n{LOG}")
            file.says(f"answer {number}")
        return path


@pytest.fixture
def shell(home: Path, tmp_path: Path) -> Shell:
    """A shell in a folder of a project."""
    folder = tmp_path / "project"
    folder.mkdir()
    return Shell(home, folder)


def age(path: Path, days: float) -> None:
    """Let a file have been written so long ago."""
    then = path.stat().st_mtime - days * 86_400
    os.utime(path, (then, then))


def exact(shell: Shell, session: str, *refs: str) -> list[str]:
    """The texts that refs of a session bring back, empty where they cannot be had."""
    store = open_store(shell.place)
    answer = recover(store, refs, session=session, budget=sys.maxsize, charged=False)
    store.close()
    return [item.text for item in answer.items]
