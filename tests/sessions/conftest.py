"""What the tests of sessions share: transcripts to write into, and what reading them costs."""

from __future__ import annotations

import io
import os
from pathlib import Path

import pytest

from prune_mcp.sessions.tail import Tail
from tests.sessions.transcripts.writing import SESSION, ClaudeFile, PiFile


@pytest.fixture
def claude(tmp_path: Path) -> ClaudeFile:
    """An empty Claude Code transcript in a project folder."""
    return ClaudeFile(tmp_path / "projects" / "-home-user-app" / f"{SESSION}.jsonl")


@pytest.fixture
def pi(tmp_path: Path) -> PiFile:
    """A pi session of version 3 that holds only its header."""
    return PiFile(tmp_path / "sessions" / "--home-user-app--" / f"2026-01-01T00-00-00-000Z_{SESSION}.jsonl")


@pytest.fixture
def bytes_read(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """The size of every read of a transcript file."""
    sizes: list[int] = []

    class Counting(io.FileIO):
        def read(self, size: int | None = -1) -> bytes:
            data = super().read(-1 if size is None else size) or b""
            sizes.append(len(data))
            return data

    monkeypatch.setattr(Tail, "open", lambda tail: Counting(tail.path, "rb"))
    return sizes


def rewrite(path: Path, data: bytes, keep_times: bool = True) -> None:
    """Write a file anew in place, with the times it had."""
    status = path.stat()
    with path.open("r+b") as file:
        file.write(data)
        file.truncate()
    if keep_times:
        os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))
