"""Troubles a program may have with its surroundings, and ways to start it so that it has them."""

from __future__ import annotations

import os
import shutil
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.acceptance.product import PROGRAM


@contextmanager
def unreadable(path: Path) -> Iterator[None]:
    """Nobody but a superuser may read or write it."""
    mode = path.stat().st_mode
    path.chmod(0)
    try:
        yield
    finally:
        path.chmod(mode)


@contextmanager
def newer(store: Path) -> Iterator[None]:
    """The store says that a later version wrote it."""
    before = _version(store, 9999)
    yield
    _version(store, before)


def _version(store: Path, version: int) -> int:
    connection = sqlite3.connect(store)
    [before] = connection.execute("PRAGMA user_version").fetchone()
    connection.execute(f"PRAGMA user_version = {version}")
    connection.close()
    return int(before)


@contextmanager
def instead(path: Path, make: Callable[[Path], object]) -> Iterator[None]:
    """Something else stands in the place of a file or folder."""
    aside = path.with_name("aside")
    path.rename(aside)
    make(path)
    try:
        yield
    finally:
        shutil.rmtree(path) if path.is_dir() else path.unlink()
        aside.rename(path)


def poem(path: Path) -> None:
    path.write_text("roses are red\n" * 100, encoding="utf-8")


def no_file_over(size: int) -> list[str]:
    """The program on a disk that has room for files of `size` bytes only."""
    pytest.importorskip("resource", reason="only POSIX systems limit the size of files")
    limit = f"resource.setrlimit(resource.RLIMIT_FSIZE, ({size}, {size}))"
    code = f"import os, resource, sys; {limit}; os.execv(sys.argv[1], sys.argv[1:])"
    return [sys.executable, "-c", code, *PROGRAM]


def without_privileges() -> list[str]:
    """The program for whom file modes count, also where tests run as root."""
    if os.name == "nt":
        pytest.skip("Windows has no such modes")
    if os.geteuid() != 0:
        return PROGRAM
    prefix = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"]
    if shutil.which(prefix[0]) is None or subprocess.run([*prefix, "true"], check=False).returncode:
        pytest.skip("run as root, for whom no file is unreadable, and `setpriv` cannot change that here")
    return [*prefix, *PROGRAM]
