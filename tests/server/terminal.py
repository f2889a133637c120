"""Commands in a pseudo-terminal."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.server.conftest import environment

PROGRAM = (sys.executable, "-m", "prune_mcp.server")
ENDED_WITHIN = 60


class Terminal:
    """Runs commands in a folder, with a home of its own, in a terminal that `variables` describe."""

    def __init__(self, home: Path, folder: Path, **variables: str) -> None:
        self._folder = folder
        self._env = environment(home) | variables

    def run(
        self,
        *arguments: str,
        program: Sequence[str] = PROGRAM,
        pressed: bytes = b"",
        awaited: str = "",
        errors: bool = True,
        code: int = 0,
    ) -> str:
        """What a command writes; its exit code must be `code`.

        `pressed`: keys pressed once `awaited` is shown. `errors`: whether the terminal is its stderr, too.
        """
        pty = pytest.importorskip("pty", reason="this system has no pseudo-terminals")
        main, child = pty.openpty()
        process = subprocess.Popen(
            [*program, *arguments],
            cwd=self._folder,
            env=self._env,
            stdin=child,
            stdout=child,
            stderr=child if errors else subprocess.DEVNULL,
        )
        os.close(child)
        written = b""
        if not awaited:
            os.write(main, pressed)
        while piece := _read(main):
            written += piece
            if awaited and awaited.encode() in written:
                os.write(main, pressed)
                awaited = ""
        os.close(main)
        assert process.wait(ENDED_WITHIN) == code, written.decode(errors="replace")
        return written.decode()


def _read(terminal: int) -> bytes:
    """What comes next; nothing once the process has ended."""
    try:
        return os.read(terminal, 65536)
    except OSError:
        return b""
