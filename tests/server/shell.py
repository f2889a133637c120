"""The command line as a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.server.conftest import environment


class Shell:
    """Runs prune-mcp in a folder, with a home of its own."""

    def __init__(self, home: Path, folder: Path) -> None:
        self.home, self.folder = home, folder

    def run(self, *arguments: str, code: int = 0, **variables: str) -> subprocess.CompletedProcess[str]:
        """One command; its exit code must be `code`."""
        done = subprocess.run(
            [sys.executable, "-m", "prune_mcp.server", *arguments],
            cwd=self.folder,
            env=environment(self.home) | variables,
            capture_output=True,
            encoding="utf-8",
        )
        assert done.returncode == code, done.stderr
        assert "Traceback" not in done.stderr
        return done

    def json(self, *arguments: str, code: int = 0) -> Any:
        return json.loads(self.run(*arguments, "--json", code=code).stdout)
