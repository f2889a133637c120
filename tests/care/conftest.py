"""The command line as a process of its own, on sessions that a test writes."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from prune_mcp.storage.home import Home
from tests.server.conftest import environment
from tests.server.transcripts import write_session

LOG = "".join(f"line {number}: nothing of interest\n" for number in range(300))


class Shell:
    """Runs prune-mcp in a folder of its own, in a home of its own."""

    def __init__(self, home: Path, folder: Path) -> None:
        self.home, self.folder = home, folder
        self.place = Home(home / "prune-mcp/data", home / "prune-mcp/cache", home / "prune-mcp/config")

    @property
    def env(self) -> dict[str, str]:
        """The environment of the commands."""
        return environment(self.home)

    def run(self, *arguments: str, code: int = 0, **variables: str) -> subprocess.CompletedProcess[str]:
        """One command; its exit code must be `code`."""
        done = subprocess.run(
            [sys.executable, "-m", "prune_mcp.server", *arguments],
            cwd=self.folder,
            env=self.env | variables,
            capture_output=True,
            encoding="utf-8",
            stdin=subprocess.DEVNULL,
        )
        assert done.returncode == code, (done.stdout, done.stderr)
        assert "Traceback" not in done.stderr
        return done

    def json(self, *arguments: str, code: int = 0, **variables: str) -> Any:
        """What one command says with --json."""
        return json.loads(self.run(*arguments, "--json", code=code, **variables).stdout)

    def session(self, name: str, *outputs: str, age: float = 0, title: str = "") -> Path:
        """Write a session with these outputs, the last `age` seconds ago."""
        said = [f"{text}\n{LOG}" for text in outputs]
        return write_session(self.home, name, self.folder, outputs=said, age=age)


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
