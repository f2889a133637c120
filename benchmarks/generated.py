"""Generated homes, each made once and kept, and copies of them to work on."""

from __future__ import annotations

import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from environments import cache_folder
from home import write_home

SEED = 7
SOURCES = ("home.py", "work.py", "claude_lines.py", "codex_lines.py", "vocabulary.py", "sizes.py", "words.txt")


def generated(megabytes: int) -> Path:
    """A home of about so many megabytes; it is written when it is not there yet."""
    code = b"".join(Path(__file__).with_name(name).read_bytes() for name in SOURCES)
    folder = cache_folder() / f"home-{megabytes}-{hashlib.sha256(code).hexdigest()[:10]}"
    if not folder.exists():
        unfinished = folder.with_suffix(".unfinished")
        shutil.rmtree(unfinished, ignore_errors=True)
        write_home(unfinished, megabytes, SEED)
        unfinished.rename(folder)
    return folder


@contextmanager
def copied(home: Path) -> Iterator[tuple[Path, Path]]:
    """A copy of a home that may be changed, and a folder for what programs keep; both go in the end."""
    with tempfile.TemporaryDirectory(prefix="prune-mcp-search-", dir=cache_folder()) as folder:
        copy = Path(folder, "home")
        shutil.copytree(home, copy, copy_function=_copy)
        yield copy, Path(folder, "state")


def _copy(source: str, target: str) -> str:
    # The times tell programs which sessions are new.
    shutil.copyfile(source, target)
    times = Path(source).stat()
    os.utime(target, ns=(times.st_atime_ns, times.st_mtime_ns))
    return target
